//! What the sanitizer looks for: the table of kinds, and sets of them by name.
//!
//! The names are stable: `PYROCLAST_SANITIZE`, `pyroclast sanitize --kinds`, suppressions, reports and
//! `docs/sanitizer` use them.
//!
//! Must not know: shaders; how a kind is found.

/// Kinds that belong together: one page of `docs/sanitizer` each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Accesses outside of their object.
    Bounds,
    /// Operations without a defined result.
    Undefined,
    /// What invocations must do together.
    Convergence,
    /// Accesses that nothing orders.
    Race,
    /// Values that nobody wrote.
    Uninitialized,
    /// Descriptors, and the images behind them.
    Resource,
}

impl Group {
    /// Its name, which stands for all its kinds but those that are opt-in.
    pub fn name(self) -> &'static str {
        match self {
            Group::Bounds => "bounds",
            Group::Undefined => "undefined",
            Group::Convergence => "convergence",
            Group::Race => "race",
            Group::Uninitialized => "uninitialized",
            Group::Resource => "resource",
        }
    }

    const ALL: [Group; 6] = [
        Group::Bounds,
        Group::Undefined,
        Group::Convergence,
        Group::Race,
        Group::Uninitialized,
        Group::Resource,
    ];
}

macro_rules! kinds {
    ($( $(#[doc = $doc:literal])+ $kind:ident $name:literal $group:ident $opt_in:literal; )+) => {
        /// A kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind { $( $(#[doc = $doc])+ $kind, )+ }

        impl Kind {
            /// All kinds in table order.
            pub const ALL: &'static [Kind] = &[ $( Kind::$kind, )+ ];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $( Kind::$kind => $name, )+ }
            }

            /// The kinds that it is told with.
            pub fn group(self) -> Group {
                match self { $( Kind::$kind => Group::$group, )+ }
            }

            /// Whether neither `all` nor its group's name turns it on: what it finds is often meant.
            pub fn is_opt_in(self) -> bool {
                match self { $( Kind::$kind => $opt_in, )+ }
            }

            /// One line on what it means, for tools.
            pub fn doc(self) -> &'static str {
                match self { $( Kind::$kind => concat!($($doc),+).trim_ascii(), )+ }
            }
        }
    };
}

kinds! {
    /// A storage or uniform buffer is accessed past the range of its descriptor.
    BoundsBuffer "bounds-buffer" Bounds false;
    /// An index is past the end of an array inside of a block, whether or not the buffer ends there.
    BoundsArray "bounds-array" Bounds false;
    /// An index is past the end of an array of a Function or Private variable.
    BoundsPrivate "bounds-private" Bounds false;
    /// Workgroup memory is accessed past the end of an array or variable.
    BoundsWorkgroup "bounds-workgroup" Bounds false;
    /// An index is past the end of an array of inputs, outputs or payloads.
    BoundsInterface "bounds-interface" Bounds false;
    /// A dynamic component index is past the end of a vector, or a column index past that of a matrix.
    BoundsVector "bounds-vector" Bounds false;
    /// Push constants are read past the range of the pipeline layout.
    BoundsPushConstant "bounds-push-constant" Bounds false;
    /// An index is past the end of an array of descriptors.
    BoundsDescriptor "bounds-descriptor" Bounds false;
    /// A texel outside of its image, level, layer or sample is read or written without a sampler.
    BoundsTexel "bounds-texel" Bounds false;
    /// A device address is accessed at which no live buffer is bound.
    BoundsAddress "bounds-address" Bounds false;
    /// A draw reads vertices past the end of a vertex buffer.
    BoundsVertex "bounds-vertex" Bounds false;
    /// A draw reads indices past the end of the index buffer.
    BoundsIndex "bounds-index" Bounds false;
    /// The parameters of an indirect command, or their count, lie past the end of their buffer.
    BoundsIndirect "bounds-indirect" Bounds false;
    /// Rays are traced with a shader binding table in which no buffer is bound.
    BoundsBindingTable "bounds-binding-table" Bounds false;
    /// Elements of a tensor are read or written past the end of a dimension, which is defined.
    BoundsTensor "bounds-tensor" Bounds true;
    /// A tensor layout whose clamp mode is `Undefined` leads past the end of a dimension.
    BoundsTensorLayout "bounds-tensor-layout" Bounds false;

    /// An integer is divided by zero.
    DivideByZero "divide-by-zero" Undefined false;
    /// The least integer is divided by -1.
    DivideOverflow "divide-overflow" Undefined false;
    /// A shift is by as many bits as the value has, or more.
    ShiftWidth "shift-width" Undefined false;
    /// A bit field ends past the last bit.
    BitFieldRange "bit-field-range" Undefined false;
    /// A float is converted to an integer type that cannot hold it.
    ConvertRange "convert-range" Undefined false;
    /// A function is called with arguments for which its result is undefined.
    MathDomain "math-domain" Undefined false;
    /// An operation makes a NaN from operands that are none.
    Nan "nan" Undefined true;
    /// An operation makes an infinity from operands that are none.
    Infinity "infinity" Undefined true;
    /// `OpUnreachable` is reached.
    Unreachable "unreachable" Undefined false;
    /// The condition of `OpAssumeTrueKHR` is false.
    AssumeFalse "assume-false" Undefined false;
    /// `OpAbortKHR` is reached.
    Abort "abort" Undefined false;
    /// A loop runs more often than any loop that ends is expected to.
    InfiniteLoop "infinite-loop" Undefined false;
    /// Traces or calls of shaders are nested deeper than the ray tracing pipeline says, or than its stack.
    RecursionDepth "recursion-depth" Undefined false;
    /// A value that is decorated `NoContraction` depends on a sum that is not, and that may be contracted.
    PreciseOperand "precise-operand" Undefined true;
    /// A draw compares depths for equality, and its position is not decorated `Invariant`.
    InvariantDepth "invariant-depth" Undefined true;

    /// Some invocations of a workgroup come to a barrier that others do not come to.
    BarrierDivergence "barrier-divergence" Convergence false;
    /// A derivative, or a sample with implicit level of detail, is taken where invocations of the quad are
    /// missing.
    DerivativeDivergence "derivative-divergence" Convergence false;
    /// A value is taken from an invocation of the subgroup that is not active or does not exist.
    SubgroupLane "subgroup-lane" Convergence false;
    /// An operand that must be the same in all invocations of the subgroup is not.
    SubgroupUniform "subgroup-uniform" Convergence false;
    /// A descriptor index differs between invocations, and is not decorated `NonUniform`.
    NonUniformIndex "non-uniform-index" Convergence false;
    /// An operation on a subgroup or quad depends on invocations that the shader does not declare to be
    /// there.
    UndeclaredActiveSet "undeclared-active-set" Convergence true;

    /// Invocations of a workgroup access workgroup memory, one of them writing, and nothing orders them.
    RaceWorkgroup "race-workgroup" Race false;
    /// An invocation stores by an atomic operation without semantics to workgroup memory that others load or
    /// change atomically, and nothing orders them: what these find depends on chance.
    RaceAtomic "race-atomic" Race false;
    /// Invocations of a dispatch, draw or launch access a buffer, one of them writing, and nothing orders
    /// them.
    RaceBuffer "race-buffer" Race false;
    /// Commands access a buffer, one of them writing, and no barrier, event, semaphore or fence orders them.
    RaceCommandBuffer "race-command-buffer" Race false;
    /// Commands access an image, one of them writing or changing its layout, and nothing orders them.
    RaceCommandImage "race-command-image" Race false;
    /// Invocations of a dispatch, draw or launch access a texel, one of them writing, and nothing orders
    /// them.
    RaceImage "race-image" Race false;
    /// The host changes memory that a command reads, before it knows that the command has ended.
    RaceHost "race-host" Race false;

    /// Workgroup memory is read that no invocation of the workgroup has written.
    UninitializedWorkgroup "uninitialized-workgroup" Uninitialized false;
    /// What a Function or Private variable holds decides something before it is written.
    UninitializedVariable "uninitialized-variable" Uninitialized false;
    /// A shader reads bytes of a buffer that neither a command nor the host has written.
    UninitializedBuffer "uninitialized-buffer" Uninitialized false;
    /// A shader reads a texel that nobody has written since the image's content was undefined.
    UninitializedImage "uninitialized-image" Uninitialized false;
    /// A render pass loads an attachment whose content is undefined.
    UninitializedAttachment "uninitialized-attachment" Uninitialized false;

    /// A stage reads an input that the stage before it, or the vertex input, does not give.
    UninitializedInput "uninitialized-input" Uninitialized false;
    /// An attachment or the next stage reads an output that has not been written.
    UninitializedOutput "uninitialized-output" Uninitialized false;
    /// A shader reads push constants that no command has set.
    UninitializedPushConstant "uninitialized-push-constant" Uninitialized false;

    /// A shader uses a descriptor that nobody has written.
    DescriptorUnwritten "descriptor-unwritten" Resource false;
    /// A shader uses a descriptor whose buffer or view has been destroyed.
    DescriptorDestroyed "descriptor-destroyed" Resource false;
    /// A descriptor's view has another dimension, sampled type or format than the shader declares.
    DescriptorType "descriptor-type" Resource false;
    /// An image is sampled with comparison and its sampler has none, or the reverse.
    SamplerCompare "sampler-compare" Resource false;
    /// A shader accesses an attachment that it draws to, in a layout that does not allow it.
    AttachmentFeedback "attachment-feedback" Resource false;
    /// An image is in another layout than its access, barrier or render pass says.
    ImageLayout "image-layout" Resource false;
}

impl Kind {
    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Whether it is a warning: what it finds is defined, and may differ between implementations.
    pub fn is_warning(self) -> bool {
        matches!(self, Kind::UndeclaredActiveSet | Kind::PreciseOperand | Kind::InvariantDepth)
    }

    /// The kind with this number (`kind as u8`).
    pub fn from_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KindSet(u64);

const _: () = assert!(Kind::ALL.len() <= 64);

impl KindSet {
    /// No kind: the sanitizer is off.
    pub const NONE: KindSet = KindSet(0);

    /// Every kind that is not opt-in.
    pub fn all() -> KindSet {
        Kind::ALL.iter().filter(|kind| !kind.is_opt_in()).fold(KindSet::NONE, |set, &kind| set.with(kind))
    }

    /// The set with one kind more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> KindSet {
        KindSet(self.0 | 1 << kind as u8)
    }

    /// The set without the kinds of another.
    #[must_use]
    pub const fn without(self, other: KindSet) -> KindSet {
        KindSet(self.0 & !other.0)
    }

    /// The kinds of either set.
    #[must_use]
    pub const fn union(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }

    /// Whether it has a kind.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }

    /// Whether it has any of these kinds.
    pub fn has_any(self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|&kind| self.contains(kind))
    }

    /// Whether it has kinds for which shaders tell what they access of memory, for each command.
    pub fn needs_accesses(self) -> bool {
        self.has_any(&[
            Kind::RaceCommandBuffer,
            Kind::RaceCommandImage,
            Kind::UninitializedBuffer,
            Kind::UninitializedImage,
            Kind::ImageLayout,
            Kind::DescriptorUnwritten,
            Kind::DescriptorDestroyed,
            Kind::DescriptorType,
            Kind::SamplerCompare,
            Kind::AttachmentFeedback,
            Kind::RaceHost,
        ])
    }

    /// Whether it has no kind.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its kinds in table order.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().copied().filter(move |&kind| self.contains(kind))
    }

    /// The kinds that a name stands for: `all`, `none`, a group or a kind.
    fn named(name: &str) -> Option<KindSet> {
        match name {
            "all" | "1" => return Some(KindSet::all()),
            "none" | "0" => return Some(KindSet::NONE),
            _ => {}
        }
        if let Some(group) = Group::ALL.into_iter().find(|group| group.name() == name) {
            let of_group = Kind::ALL.iter().filter(|kind| kind.group() == group && !kind.is_opt_in());
            return Some(of_group.fold(KindSet::NONE, |set, &kind| set.with(kind)));
        }
        Kind::from_name(name).map(|kind| KindSet::NONE.with(kind))
    }

    /// The set that a list of names means, read from left to right: a name adds its kinds, a name behind `-`
    /// takes them away. A list that begins with `-` starts from `all`.
    ///
    /// # Errors
    /// Names the first word that is neither `all`, `none`, a group nor a kind.
    pub fn parse(text: &str) -> Result<KindSet, String> {
        let mut words = text.split(',').map(str::trim).filter(|word| !word.is_empty()).peekable();
        let mut set = match words.peek() {
            Some(word) if word.starts_with('-') => KindSet::all(),
            _ => KindSet::NONE,
        };
        for word in words {
            let (name, removes) = match word.strip_prefix('-') {
                Some(name) => (name, true),
                None => (word, false),
            };
            let Some(named) = KindSet::named(name) else {
                let groups: Vec<_> = Group::ALL.iter().map(|group| group.name()).collect();
                return Err(format!(
                    "\"{name}\" is not a kind of finding: known are all, none, the groups {} and the kinds {}",
                    groups.join(", "),
                    Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
                ));
            };
            set = if removes { set.without(named) } else { set.union(named) };
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_add_and_remove_from_left_to_right() {
        let parse = |text: &str| KindSet::parse(text).expect("a list of kinds");
        assert_eq!(parse(""), KindSet::NONE);
        assert_eq!(parse("all"), KindSet::all());
        assert_eq!(parse("all,none"), KindSet::all());
        assert!(!parse("all").contains(Kind::Nan) && parse("all, nan").contains(Kind::Nan));
        let bounds = parse("bounds,-bounds-texel");
        assert!(bounds.contains(Kind::BoundsBuffer) && !bounds.contains(Kind::BoundsTexel));
        assert!(bounds.kinds().all(|kind| kind.group() == Group::Bounds));
        let most = parse("-divide-by-zero");
        assert_eq!(most, KindSet::all().without(KindSet::NONE.with(Kind::DivideByZero)));
        assert_eq!(parse("shift-width,-undefined,shift-width"), KindSet::NONE.with(Kind::ShiftWidth));
    }

    #[test]
    fn unknown_names_are_errors_that_name_them() {
        let error = KindSet::parse("bounds,boundz-buffer").expect_err("not a kind");
        assert!(error.starts_with("\"boundz-buffer\"") && error.contains("bounds-buffer"), "{error}");
    }

    #[test]
    fn kinds_have_distinct_names_and_numbers() {
        for (number, &kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(Kind::from_number(number as u8), Some(kind));
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert!(KindSet::named(kind.name()).is_some_and(|set| set.kinds().eq([kind])));
            assert!(!kind.doc().is_empty());
        }
        assert_eq!(Kind::from_number(Kind::ALL.len() as u8), None);
    }
}
