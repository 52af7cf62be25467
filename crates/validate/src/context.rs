//! What the rules share.

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::environment::Environment;
use pyro_spirv::spirv::{Capability, Op, StorageClass};
use pyro_spirv::{ConstantValues, Id, Inst, Instruction, Module, Type};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// What a rule gives: nothing, or why it is broken.
pub(crate) type Verdict = Result<(), String>;

/// Returns the message as the rule's verdict when the condition does not hold.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
pub(crate) use ensure;

/// What a type holds, computed once for each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TypeFacts {
    /// Scalars of a value; saturating; zero for what is not data.
    pub(crate) component_count: u64,
    /// Levels of arrays and structures.
    pub(crate) depth: u32,
    /// Whether a runtime array is in it.
    pub(crate) has_runtime_array: bool,
    /// Whether an image, sampler, acceleration structure or another opaque object is in it.
    pub(crate) has_opaque: bool,
    /// Whether a boolean is in it.
    pub(crate) has_bool: bool,
}

/// What the rules share: the module, tables made from it, and the diagnostics found so far.
pub(crate) struct Context<'a, 'm> {
    pub(crate) module: &'m Module,
    pub(crate) environment: &'a Environment,
    pub(crate) constants: ConstantValues<'m>,
    /// By id of a type.
    pub(crate) facts: Vec<TypeFacts>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    is_full: Cell<bool>,
    /// Instructions that were found broken so far that other rules have nothing to say of them.
    silenced: RefCell<HashSet<Inst>>,
}

impl<'a, 'm> Context<'a, 'm> {
    pub(crate) fn new(
        module: &'m Module,
        environment: &'a Environment,
        constants: ConstantValues<'m>,
    ) -> Self {
        Context {
            module,
            environment,
            constants,
            facts: vec![TypeFacts::default(); module.bound()],
            diagnostics: RefCell::new(Vec::new()),
            is_full: Cell::new(false),
            silenced: RefCell::default(),
        }
    }

    /// Notes that a rule is broken at an instruction.
    pub(crate) fn report(&self, rule: &'static str, inst: Inst, message: impl Into<String>) {
        self.push(rule.into(), Some(Place::of(self.module, inst)), message.into());
    }

    /// Notes that a rule whose name is made from a table is broken at an instruction.
    pub(crate) fn report_owned(&self, rule: String, inst: Inst, message: String) {
        self.push(rule.into(), Some(Place::of(self.module, inst)), message);
    }

    /// Notes that the module breaks a rule.
    pub(crate) fn report_module(&self, rule: &'static str, message: impl Into<String>) {
        self.push(rule.into(), None, message.into());
    }

    fn push(&self, rule: Cow<'static, str>, place: Option<Place>, message: String) {
        if place.as_ref().is_some_and(|place| self.silenced.borrow().contains(&place.inst)) {
            return;
        }
        let mut diagnostics = self.diagnostics.borrow_mut();
        if diagnostics.len() < self.environment.diagnostic_count_max {
            diagnostics.push(Diagnostic { rule, message, place });
        }
        self.is_full.set(diagnostics.len() >= self.environment.diagnostic_count_max);
    }

    /// Whether enough was found.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full.get()
    }

    /// Whether nothing was found that makes the module invalid.
    pub(crate) fn is_clean(&self) -> bool {
        self.diagnostics.borrow().iter().all(|found| found.severity() == Severity::Warning)
    }

    /// Whether later stages run too: nothing is broken, or all that is shall be told.
    pub(crate) fn may_go_on(&self) -> bool {
        self.is_clean() || self.environment.strict
    }

    /// How much was found.
    pub(crate) fn count(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// Lets nothing more be said of the instructions that the findings from this one on are about.
    pub(crate) fn silence_since(&self, count: usize) {
        let diagnostics = self.diagnostics.borrow();
        let places = diagnostics.iter().skip(count).filter_map(|found| found.place.as_ref());
        self.silenced.borrow_mut().extend(places.map(|place| place.inst));
    }

    /// Takes what was found.
    pub(crate) fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.into_inner()
    }

    pub(crate) fn ty(&self, id: Id) -> Type<'m> {
        self.module.ty(id)
    }

    /// The type of a value.
    pub(crate) fn type_of(&self, value: Id) -> Result<Id, String> {
        self.module.type_of(value).ok_or_else(|| format!("{value} is not a value"))
    }

    /// The type of a value, as a view.
    pub(crate) fn value_type(&self, value: Id) -> Result<Type<'m>, String> {
        Ok(self.ty(self.type_of(value)?))
    }

    pub(crate) fn result_type(&self, inst: Instruction<'m>) -> Result<Id, String> {
        inst.result_type().ok_or_else(|| "it has no result type".to_owned())
    }

    /// The storage class and pointee of a value that is a typed pointer.
    pub(crate) fn pointer_value(&self, value: Id) -> Result<(StorageClass, Id), String> {
        let ty = self.type_of(value)?;
        self.module.pointer(ty).ok_or_else(|| format!("{value} is not a pointer"))
    }

    pub(crate) fn shape(&self, ty: Id) -> Option<Shape<'m>> {
        let scalar = |kind, component| {
            let ty = self.ty(component);
            ty.is_scalar().then_some(Shape { kind, component: ty })
        };
        match self.ty(ty) {
            Type::Vector { component, count } => scalar(ShapeKind::Vector(count), component),
            // Between vectors of the same count, the way of saying the count makes no difference.
            Type::CooperativeVector { component, count }
                if self.has_capability(Capability::LongVectorEXT) =>
            {
                scalar(ShapeKind::Vector(self.constants.unsigned(count)?), component)
            }
            Type::CooperativeVector { component, count } => {
                scalar(ShapeKind::CooperativeVector(self.constants.integer(count)?), component)
            }
            Type::CooperativeMatrixKhr { component, scope, rows, columns, usage } => {
                let [scope, rows, columns, usage] = [scope, rows, columns, usage].map(|id| self.number(id));
                scalar(ShapeKind::CooperativeMatrix([scope, rows, columns, usage]), component)
            }
            Type::CooperativeMatrixNv { component, scope, rows, columns } => {
                let [scope, rows, columns] = [scope, rows, columns].map(|id| self.number(id));
                scalar(ShapeKind::CooperativeMatrix([scope, rows, columns, -1]), component)
            }
            _ => scalar(ShapeKind::Scalar, ty),
        }
    }

    fn number(&self, id: Id) -> i128 {
        // An unknown value, such as an opaque one, is itself and nothing else.
        self.constants.integer(id).unwrap_or(-1 - i128::from(id.as_u32()) - (1 << 70))
    }

    /// The shape of a value.
    pub(crate) fn value_shape(&self, value: Id) -> Result<Shape<'m>, String> {
        let ty = self.type_of(value)?;
        self.shape(ty).ok_or_else(|| format!("{value} is neither a scalar nor a vector of scalars"))
    }

    /// The shape of a result.
    pub(crate) fn result_shape(&self, inst: Instruction<'m>) -> Result<Shape<'m>, String> {
        let ty = self.result_type(inst)?;
        let shape = self.shape(ty);
        shape.ok_or_else(|| format!("the result type {ty} is neither a scalar nor a vector of scalars"))
    }

    /// A value that is an integer scalar.
    pub(crate) fn int_scalar(&self, value: Id) -> Result<u32, String> {
        match self.value_type(value)? {
            Type::Int { width, .. } => Ok(width),
            _ => Err(format!("{value} is not an integer scalar")),
        }
    }

    pub(crate) fn facts(&self, ty: Id) -> TypeFacts {
        self.facts.get(ty.as_u32() as usize).copied().unwrap_or_default()
    }

    pub(crate) fn has_capability(&self, capability: Capability) -> bool {
        self.module.has_capability(capability)
    }

    /// Whether an id is a constant at module scope.
    pub(crate) fn is_constant(&self, id: Id) -> bool {
        self.constants.get(id).is_some()
    }

    /// Whether there is a device, on which a feature is off.
    pub(crate) fn lacks(&self, feature: &str) -> bool {
        self.environment.device.as_ref().is_some_and(|device| !device.has_feature(feature))
    }

    /// Whether there is a device of an older version than this, without the extension that became part of it.
    pub(crate) fn is_before(&self, major: u32, minor: u32, extension: &str) -> bool {
        let device = self.environment.device.as_ref();
        device.is_some_and(|device| device.api_version < (major, minor) && !device.has_extension(extension))
    }

    /// Whether there is a device, on which all of these features are off.
    pub(crate) fn lacks_all(&self, features: &[&str]) -> bool {
        features.iter().all(|feature| self.lacks(feature))
    }

    /// A limit or another property of the device, if both are known.
    pub(crate) fn property(&self, name: &str) -> Option<i64> {
        self.environment.device.as_ref()?.property(name)
    }

    /// That a number is not above a limit, if that is known.
    pub(crate) fn at_most(&self, what: &str, found: u64, limit: &str) -> Verdict {
        match self.property(limit).and_then(|value| u64::try_from(value).ok()) {
            Some(value) if found > value => Err(format!("{what} is {found}, {limit} is {value}")),
            _ => Ok(()),
        }
    }

    /// Whether the module's kernels are shaders, whose control flow is structured.
    pub(crate) fn is_shader(&self) -> bool {
        // Every shader capability implies Shader, which modules may leave out then; kernels declare
        // Kernel.
        !self.has_capability(Capability::Kernel) || self.has_capability(Capability::Shader)
    }

    /// The opcode that defines an id.
    pub(crate) fn op_of(&self, id: Id) -> Op {
        self.module.definition(id).map_or(Op::Nop, |inst| inst.op())
    }
}

/// A scalar, or what operations treat component by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape<'m> {
    pub(crate) kind: ShapeKind,
    pub(crate) component: Type<'m>,
}

/// How many components, arranged how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    Scalar,
    Vector(u32),
    CooperativeVector(i128),
    /// Scope, rows, columns, use.
    CooperativeMatrix([i128; 4]),
}

impl Shape<'_> {
    pub(crate) fn is_scalar(self) -> bool {
        self.kind == ShapeKind::Scalar
    }

    /// Components of a scalar or vector; zero for what has no fixed count.
    pub(crate) fn count(self) -> u32 {
        match self.kind {
            ShapeKind::Scalar => 1,
            ShapeKind::Vector(count) => count,
            _ => 0,
        }
    }

    pub(crate) fn is_int(self) -> bool {
        matches!(self.component, Type::Int { .. })
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self.component, Type::Float { .. })
    }

    pub(crate) fn is_bool(self) -> bool {
        self.component == Type::Bool
    }

    pub(crate) fn width(self) -> u32 {
        self.component.width().unwrap_or(0)
    }
}
