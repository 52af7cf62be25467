//! `pyroclast reflect`: the interfaces of shaders, as tables, JSON or an HTML page.

use crate::check::{self, Loaded, Reflected};
use crate::commands::check::description_of;
use crate::description::{self, Shader, StageFlags};
use crate::environment::environment;
use crate::reflection;
use crate::report::{html, json};
use crate::sources::{self, Request};
use anyhow::{Context, Result, bail};
use pyro_spirv::Specialization;
use serde_json::json;
use std::path::PathBuf;

/// What to show and how.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// .spv, .wgsl, .slang, GLSL and HLSL files: every entry point is shown.
    files: Vec<PathBuf>,
    /// Shaders that are one pipeline: STAGE=FILE or STAGE=FILE:ENTRY.
    #[arg(long, value_name = "STAGE=FILE")]
    stage: Vec<String>,
    /// A pipeline description in TOML or JSON (see `pyroclast check --help`).
    #[arg(long, value_name = "FILE")]
    pipeline: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write an HTML page with a picture of the pipeline.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Shows the interfaces.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let environment = environment("everything")?;
    let mut shaders: Vec<Shader> = description_of(&arguments.stage)?.shaders;
    let mut described = None;
    if let Some(path) = &arguments.pipeline {
        let mut description = description::read(path)?;
        shaders.append(&mut description.shaders);
        described = Some(description);
    }
    for path in &arguments.files {
        let wanted = Request { version: Request::NEWEST, is_check: true, ..Request::TO_RUN };
        let module = sources::decode(path, &wanted)?.module;
        shaders.extend(module.entry_points().map(|entry| Shader {
            model: entry.model,
            path: path.clone(),
            entry: Some(entry.name().into_owned()),
            specialization: Specialization::new(),
            constants: Vec::new(),
            flags: StageFlags::default(),
            object: Default::default(),
        }));
    }
    if shaders.is_empty() {
        bail!("nothing to show: name files with entry points, --stage STAGE=FILE or --pipeline FILE");
    }
    let (loaded, broken) = check::load_all(shaders, &environment);
    if let Some(finding) = broken.first() {
        bail!("{}: {}", finding.file, finding.message);
    }
    let reflected = loaded.iter().map(reflect).collect::<Result<Vec<_>>>()?;
    let is_pipeline = !arguments.stage.is_empty() || arguments.pipeline.is_some();
    let findings = if is_pipeline || arguments.html.is_some() {
        check::mismatches(&reflected, described)
    } else {
        Vec::new()
    };
    if let Some(path) = &arguments.html {
        std::fs::write(path, html::page(&reflected, &findings))
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    } else if arguments.json {
        let stages: Vec<_> = reflected.iter().map(reflection::to_json).collect();
        let findings: Vec<_> = findings.iter().map(json::finding).collect();
        println!("{:#}", json!({ "stages": stages, "findings": findings }));
    } else {
        let tables: Vec<_> = reflected.iter().map(reflection::render).collect();
        print!("{}", tables.join("\n"));
        for finding in &findings {
            println!("\nmismatch: {} [{}]", finding.message, finding.rule);
        }
    }
    Ok(())
}

fn reflect(loaded: &Loaded) -> Result<Reflected<'_>> {
    check::reflect(loaded).with_context(|| loaded.name.clone())
}
