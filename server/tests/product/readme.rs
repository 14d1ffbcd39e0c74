//! The loop of the README, as it is printed there.

use crate::program::Workplace;
use std::path::Path;

/// Ask a model, a server or what only a person can give.
const NOT_HERE: [&str; 5] = ["relevance-plain", "--server", "calibrate", "watch", "user invite"];

struct Command {
    words: Vec<String>,
    code: i32,
}

/// The commands between two headings, each with the exit code that is printed beside it.
fn commands(readme: &str, from: &str, to: &str) -> Vec<Command> {
    let (_, rest) = readme.split_once(from).unwrap();
    let (section, _) = rest.split_once(to).unwrap();
    let section = section.replace("\\\n", " ");
    let lines = section.lines().filter(|line| line.starts_with("touchstone "));
    lines.filter(|line| !NOT_HERE.iter().any(|other| line.contains(other))).map(command).collect()
}

fn command(line: &str) -> Command {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' | '#' if !is_quoted => break,
            ' ' if !is_quoted => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()))
            }
            _ => word.push(letter),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    let code = line.rsplit_once('#').and_then(|(_, says)| says.split_once("exit "));
    Command { words: words.split_off(1), code: code.map_or(0, |(_, code)| code.trim().parse().unwrap()) }
}

#[test]
fn the_loop_of_the_readme_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = Workplace::new();
    let here = place.path("server/demo");
    for folder in ["server/demo", "docs/examples"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let from = entry.unwrap().path();
            std::fs::copy(&from, place.path(folder).join(from.file_name().unwrap())).unwrap();
        }
    }
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let commands = commands(&readme, "## The loop in ten minutes", "## Your own data");
    assert!(commands.len() > 20, "only {} commands were found", commands.len());
    let mut decision = String::new();
    for Command { mut words, code } in commands {
        words.iter_mut().filter(|word| *word == "DECISION").for_each(|word| word.clone_from(&decision));
        let mut run = place.command(&words);
        run.current_dir(&here).env("TOUCHSTONE_DB", "../../touchstone.db");
        let run = crate::program::Run::from(run.output().unwrap());
        assert_eq!(run.code, code, "{words:?}: {run:?}");
        if let Some(rest) = run.out.lines().find_map(|line| line.strip_prefix("decision ")) {
            rest.split(' ').next().unwrap().clone_into(&mut decision);
        }
    }
    assert!(!decision.is_empty());
}
