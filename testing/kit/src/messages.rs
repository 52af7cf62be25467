//! What debug messengers hear.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Mutex};
use vulkanalia::prelude::v1_3::*;

/// A message of the driver.
#[derive(Clone, Debug)]
pub struct Message {
    /// How severe it is.
    pub severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    /// What it is about.
    pub types: vk::DebugUtilsMessageTypeFlagsEXT,
    /// `pMessageIdName`: of broken rules, the VUID.
    pub id: String,
    /// `pMessage`
    pub text: String,
    /// The objects that it names: type, handle, and the name that the application gave.
    pub objects: Vec<(vk::ObjectType, u64, Option<String>)>,
}

/// The messages that came to a messenger and were not taken yet. Clones are the same list.
#[derive(Clone, Debug, Default)]
pub struct Messages(Arc<Mutex<Vec<Message>>>);

impl Messages {
    /// The create info of a messenger that puts its messages here. The list must outlive the messenger.
    #[must_use]
    pub fn messenger_info(
        &self,
        severities: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
    ) -> vk::DebugUtilsMessengerCreateInfoEXT {
        vk::DebugUtilsMessengerCreateInfoEXT {
            message_severity: severities,
            message_type: types,
            user_callback: Some(hear),
            user_data: Arc::as_ptr(&self.0).cast_mut().cast(),
            ..Default::default()
        }
    }

    /// Takes all messages.
    ///
    /// # Panics
    /// When a thread panicked with the list in its hands.
    #[must_use]
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }

    /// Takes all messages and gives their identities.
    #[must_use]
    pub fn take_ids(&self) -> Vec<String> {
        self.take().into_iter().map(|message| message.id).collect()
    }

    /// Takes the last message alone.
    ///
    /// # Panics
    /// As of [`Messages::take`].
    #[must_use]
    pub fn pop(&self) -> Option<Message> {
        self.0.lock().expect("not poisoned").pop()
    }
}

unsafe extern "system" fn hear(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT,
    messages: *mut c_void,
) -> vk::Bool32 {
    unsafe {
        let data = &*data;
        let objects = (0..data.object_count as usize).map(|index| &*data.objects.add(index));
        let objects =
            objects.map(|object| (object.object_type, object.object_handle, text(object.object_name)));
        let message = Message {
            severity,
            types,
            id: text(data.message_id_name).unwrap_or_default(),
            text: text(data.message).unwrap_or_default(),
            objects: objects.collect(),
        };
        (*messages.cast::<Mutex<Vec<Message>>>()).lock().expect("not poisoned").push(message);
    }
    vk::FALSE
}

/// A text that ends in zero; none where it is null.
unsafe fn text(text: *const c_char) -> Option<String> {
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
