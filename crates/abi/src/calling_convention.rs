//! The calling convention of generated code, in both directions.
//!
//! On x86-64 it is that of System V on all systems, so that there is one way to emit code; elsewhere it is
//! C's. Callers and callees of generated code that are written in Rust are declared by
//! [`code_abi`](crate::code_abi).

/// Declares functions that generated code calls, or a type of functions that are generated:
/// `code_abi! { type Name = unsafe fn(u64) -> u32; }`.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! code_abi {
    ($($item:tt)*) => { $crate::declare_with_abi! { "sysv64" $($item)* } };
}

/// Declares functions that generated code calls, or a type of functions that are generated:
/// `code_abi! { type Name = unsafe fn(u64) -> u32; }`.
#[cfg(not(target_arch = "x86_64"))]
#[macro_export]
macro_rules! code_abi {
    ($($item:tt)*) => { $crate::declare_with_abi! { "C" $($item)* } };
}

#[doc(hidden)]
#[macro_export]
macro_rules! declare_with_abi {
    (
        $abi:literal
        $(#[$($attribute:tt)*])*
        $visibility:vis type $name:ident = unsafe fn($($argument:tt)*) $(-> $result:ty)?;
    ) => {
        $(#[$($attribute)*])*
        $visibility type $name = unsafe extern $abi fn($($argument)*) $(-> $result)?;
    };
    (
        $abi:literal
        $(
            $(#[$($attribute:tt)*])*
            $visibility:vis unsafe fn $name:ident($($argument:tt)*) $(-> $result:ty)? $body:block
        )+
    ) => { $(
        $(#[$($attribute)*])*
        $visibility unsafe extern $abi fn $name($($argument)*) $(-> $result)? $body
    )+ };
}
