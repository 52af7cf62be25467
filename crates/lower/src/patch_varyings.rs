//! The execution modes of the tessellation stages, and the layout of output patches in memory.

use crate::error::{Result, invalid};
use crate::pointer::SoaLocation;
use crate::varyings::{Entry, VIEW_COUNT_MAX, interface_of, whole_locations, words};
use pyro_abi::graphics::{
    CLIP_CULL_DISTANCES_MAX, Domain, PATCH_VERTICES_MAX, PatchLayout, Spacing, TessellationModes,
};
use pyro_interface::{Interface, Variable};
use pyro_spirv::Id;
use pyro_spirv::spirv::{BuiltIn, ExecutionMode, ExecutionModel, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// The columns of the patches that a control shader hands to an evaluation shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PatchVaryingLayout {
    /// Columns and lanes of a patch, and the execution modes that both shaders declare together.
    pub layout: PatchLayout,
    /// Of each control point: the column of each word, which is `4 * location +
    /// component`.
    pub columns: BTreeMap<u32, u32>,
    /// The same of outputs decorated `Patch`.
    pub patch_columns: BTreeMap<u32, u32>,
    /// `PointSize` of control points.
    pub point_size: u32,
    /// First column of `ClipDistance`.
    pub clip_distance: u32,
    /// First column of `CullDistance`.
    pub cull_distance: u32,
    /// First column of `PositionPerViewNV`.
    pub position_per_view: u32,
    /// Words that the evaluation shader reads and the control shader does not declare.
    pub missing: Vec<u32>,
    /// Columns from each to the one that says whether it has been written, where that is followed.
    pub written: Option<u32>,
}

pyro_util::codec_struct!(PatchVaryingLayout {
    layout,
    columns,
    patch_columns,
    point_size,
    clip_distance,
    cull_distance,
    position_per_view,
    missing,
    written,
});

/// The modes that two tessellation shaders say together.
fn modes(control: &Entry<'_>, evaluation: &Entry<'_>) -> Result<TessellationModes> {
    let mut modes = TessellationModes { output_vertices: 0, ..TessellationModes::default() };
    for entry in [control, evaluation] {
        let Some(found) = entry.checked.entry_point(entry.name, entry.model) else {
            return invalid(format!("no {:?} entry point is named \"{}\"", entry.model, entry.name));
        };
        for mode in entry.checked.execution_modes(found.function) {
            match mode.mode {
                ExecutionMode::Triangles => modes.domain = Domain::Triangles,
                ExecutionMode::Quads => modes.domain = Domain::Quads,
                ExecutionMode::Isolines => modes.domain = Domain::Isolines,
                ExecutionMode::SpacingEqual => modes.spacing = Spacing::Equal,
                ExecutionMode::SpacingFractionalEven => modes.spacing = Spacing::FractionalEven,
                ExecutionMode::SpacingFractionalOdd => modes.spacing = Spacing::FractionalOdd,
                ExecutionMode::VertexOrderCw => modes.clockwise = true,
                ExecutionMode::PointMode => modes.point_mode = true,
                ExecutionMode::OutputVertices => {
                    modes.output_vertices = mode.operands.first().copied().unwrap_or(0);
                }
                _ => {}
            }
        }
    }
    if !(1..=PATCH_VERTICES_MAX).contains(&modes.output_vertices) {
        return invalid(format!("output patches of {} control points", modes.output_vertices));
    }
    Ok(modes)
}

impl PatchVaryingLayout {
    /// The columns of the patches between two shaders: for every location that either shader names, so that
    /// no access of either lies outside of them.
    ///
    /// # Errors
    /// When an entry point is missing, an interface is broken, or nobody says how many control points there
    /// are.
    pub fn between(control: &Entry<'_>, evaluation: &Entry<'_>) -> Result<PatchVaryingLayout> {
        let modes = modes(control, evaluation)?;
        let interface = |entry: &Entry<'_>| interface_of(entry.checked, entry.name, entry.model);
        let (from, to) = (interface(control)?, interface(evaluation)?);
        let elements = |built_in, most: u64| -> Result<u32> {
            let of = |entry: &Entry<'_>, interface: &Interface, class| -> Result<u64> {
                let Some(found) = interface.built_in(built_in, class) else { return Ok(0) };
                let constants = entry.checked.constants_for(interface.function, 0)?;
                Ok(constants.array_len(found.ty).unwrap_or(0).min(most))
            };
            let written = of(control, &from, StorageClass::Output)?;
            Ok(written.max(of(evaluation, &to, StorageClass::Input)?) as u32)
        };
        let mut count = 4;
        let mut take = |columns: u32| {
            count += columns;
            count - columns
        };
        let levels = take(6);
        let point_size = take(1);
        let clip_distance = take(elements(BuiltIn::ClipDistance, CLIP_CULL_DISTANCES_MAX as u64)?);
        let cull_distance = take(elements(BuiltIn::CullDistance, CLIP_CULL_DISTANCES_MAX as u64)?);
        let position_per_view = take(4 * elements(BuiltIn::PositionPerViewNV, VIEW_COUNT_MAX)?);
        let mut columns = [false, true].map(|is_patch| {
            let named = from.outputs.iter().chain(&to.inputs).filter(|found| found.is_patch == is_patch);
            let words = whole_locations(named);
            words.into_iter().map(|word| (word, take(1))).collect::<BTreeMap<u32, u32>>()
        });
        let [columns, patch_columns] = [std::mem::take(&mut columns[0]), std::mem::take(&mut columns[1])];
        let written: BTreeSet<u32> = from.outputs.iter().flat_map(words).collect();
        let read = to.inputs.iter().flat_map(words);
        let missing = read.filter(|word| !written.contains(word)).collect();
        // As many lanes as have room for a patch.
        let lanes = modes.output_vertices.next_power_of_two().max(pyro_abi::DEFAULT_SUBGROUP_SIZE);
        let layout = PatchLayout { columns: count, levels, lanes, modes };
        Ok(PatchVaryingLayout {
            layout,
            columns,
            patch_columns,
            point_size,
            clip_distance,
            cull_distance,
            position_per_view,
            missing,
            written: None,
        })
    }

    /// The same with what says of each column whether it has been written.
    #[must_use]
    pub fn with_written(mut self) -> PatchVaryingLayout {
        self.written = Some(self.layout.columns);
        self.layout.columns *= 2;
        self
    }

    /// Where an output of the control stage, or an input of the evaluation stage, begins.
    pub(crate) fn first_column(
        &self,
        interface: &Interface,
        variable: Id,
        member: Option<u32>,
    ) -> SoaLocation {
        let is_it = |found: Id, of: Option<u32>| found == variable && of == member;
        if let Some(found) = interface.built_ins.iter().find(|found| is_it(found.variable, found.member)) {
            let column = match found.built_in {
                BuiltIn::Position => Some(0),
                BuiltIn::PointSize => Some(self.point_size),
                BuiltIn::ClipDistance => Some(self.clip_distance),
                BuiltIn::CullDistance => Some(self.cull_distance),
                BuiltIn::PositionPerViewNV => Some(self.position_per_view),
                BuiltIn::TessLevelOuter => Some(self.layout.levels),
                BuiltIn::TessLevelInner => Some(self.layout.levels + 4),
                _ => None,
            };
            return SoaLocation { column, is_built_in: true };
        }
        let variables = match interface.model {
            ExecutionModel::TessellationControl => &interface.outputs,
            _ => &interface.inputs,
        };
        let found = variables.iter().find(|found| is_it(found.variable, found.member));
        SoaLocation { column: found.and_then(|found| self.column_of(found)), is_built_in: false }
    }

    fn column_of(&self, variable: &Variable) -> Option<u32> {
        let columns = if variable.is_patch { &self.patch_columns } else { &self.columns };
        columns.get(&words(variable).next()?).copied()
    }
}
