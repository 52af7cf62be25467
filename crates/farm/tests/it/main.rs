//! The farm as its users see it: job files, the program `pyroclast-farm`, stores.

mod corruption;
mod house;
mod job_files;
mod kill;
mod libtest;
mod manifest;
mod merged;
mod reports;
mod schedulers;
mod verdicts;
mod videos;
