//! Workers as pods of an Indexed Job of Kubernetes.
//!
//! The manifest is written, not submitted: `kubectl apply -f` does that, and clusters have their own ways to
//! hand out files and rights. It is JSON, which `kubectl` reads as it reads YAML. The cluster sets
//! `JOB_COMPLETION_INDEX` in each pod; a pod that is lost gets a successor with the same index.

use super::WorkerCommand;
use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// What the manifest needs beside the command.
#[derive(Clone, Debug)]
pub struct Options {
    /// The Job's name.
    pub name: String,
    /// The namespace; empty: that of `kubectl`'s context.
    pub namespace: String,
    /// The image with the program, the job file and what the job runs.
    pub image: String,
    /// Pods at a time.
    pub parallelism: u64,
    /// How often the pod of one index may fail.
    pub retries: u32,
    /// Processors of a pod, as Kubernetes writes quantities: `2`, `500m`.
    pub cpu: String,
    /// Memory of a pod: `4Gi`.
    pub memory: String,
    /// A persistent volume claim and where it is mounted, for a store that is a folder.
    pub volume: Option<(String, String)>,
    /// A secret whose entries become environment variables (credentials of an object store).
    pub secret: Option<String>,
}

/// A name of Kubernetes: at most 63 lower-case letters, digits and `-`, not at the ends.
///
/// # Errors
/// When nothing is left of the name.
pub fn object_name(name: &str) -> Result<String> {
    let plain = |character: char| match character.to_ascii_lowercase() {
        plain @ ('a'..='z' | '0'..='9') => plain,
        _ => '-',
    };
    // Names of pods are the Job's with an index and five letters.
    let text: String = name.chars().map(plain).take(40).collect();
    let text = text.trim_matches('-').to_owned();
    ensure!(!text.is_empty(), "{name:?} has no letter or digit for a name of Kubernetes");
    Ok(text)
}

/// The manifest of an Indexed Job.
///
/// # Errors
/// When the name cannot be one of Kubernetes, or the image is missing.
pub fn manifest(command: &WorkerCommand, shards: u64, options: &Options) -> Result<Value> {
    ensure!(!options.image.is_empty(), "--image: the pods need an image");
    let name = object_name(&options.name)?;
    let line: Vec<String> = command
        .line("")
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let labels = json!({ "app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "pyroclast-farm" });
    let resources = json!({ "cpu": options.cpu, "memory": options.memory });
    let mut container = json!({
        "name": "worker",
        "image": options.image,
        "command": line,
        "env": [{ "name": "PYROCLAST_FARM_SHARDS", "value": shards.to_string() }],
        "resources": { "requests": resources, "limits": { "memory": options.memory } },
    });
    let mut pod = json!({ "restartPolicy": "Never" });
    if let Some((claim, path)) = &options.volume {
        container["volumeMounts"] = json!([{ "name": "farm", "mountPath": path }]);
        pod["volumes"] = json!([{ "name": "farm", "persistentVolumeClaim": { "claimName": claim } }]);
    }
    if let Some(secret) = &options.secret {
        container["envFrom"] = json!([{ "secretRef": { "name": secret } }]);
    }
    pod["containers"] = json!([container]);
    let mut metadata = json!({ "name": name, "labels": labels });
    if !options.namespace.is_empty() {
        metadata["namespace"] = json!(options.namespace);
    }
    Ok(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": shards,
            "parallelism": options.parallelism.min(shards),
            "backoffLimitPerIndex": options.retries,
            "maxFailedIndexes": shards,
            // Evictions and lost nodes are not failures of the shard.
            "podFailurePolicy": { "rules": [
                { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
            ] },
            "template": { "metadata": { "labels": labels }, "spec": pod },
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_those_of_kubernetes() {
        assert_eq!(object_name("VK_default.2").unwrap(), "vk-default-2");
        assert!(object_name("__").is_err());
        assert!(object_name(&"x".repeat(100)).unwrap().len() <= 63);
    }
}
