//! The flow of conversations through the stages of an assistant: at each stage some fall out, and the rest go on.

use crate::component::{
    chart::rem,
    number::{counted, percent, share},
};
use domain::FailedAt;
use leptos::prelude::*;

/// Width of a stage, in units of the drawing.
const STAGE: f64 = 184.0;

/// Height of the band of all conversations.
const BAND: f64 = 96.0;

/// Room above the band for the names, and below it for what falls out.
const HEAD: f64 = 26.0;
const FOOT: f64 = 44.0;

/// How far what falls out reaches into its stage.
const FALL: f64 = 120.0;

/// One stage, with the shares of the conversations.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    name: &'static str,
    fails: u64,
    /// Share that fails here.
    off: f64,
    /// Share that goes on.
    on: f64,
}

/// The stages in their order. Conversations of which nothing is known take no part.
fn steps(failed: FailedAt) -> [Step; 3] {
    let FailedAt { routing, retrieval, generation, none, .. } = failed;
    let of_judged = |part| share(part, failed.judged()).unwrap_or_default();
    let step = |name, fails, on| Step { name, fails, off: of_judged(fails), on: of_judged(on) };
    [
        step("Routing", routing, retrieval + generation + none),
        step("Retrieval", retrieval, generation + none),
        step("Generation", generation, none),
    ]
}

/// The flow as one picture.
#[component]
pub(crate) fn Stages(
    /// How many conversations fail first at each stage.
    failed: FailedAt,
) -> impl IntoView {
    let steps = steps(failed);
    let (width, height) = (4.0 * STAGE, HEAD + BAND + FOOT);
    let description = description(&steps, failed.none);
    let rest = &steps[2];
    let end = 3.0 * STAGE + 8.0;
    let sound = format!("{}, {}", counted(failed.none, "conversation"), percent(rest.on));
    let parts = steps.iter().zip([0.0, 1.0, 2.0]).map(|(step, at)| {
        let x = at * STAGE;
        let (on, off) = (BAND * step.on, BAND * step.off);
        let says = format!("{} fail here, {}", step.fails, percent(step.off));
        view! {
            <rect class="goes-on" x=x y=HEAD width=STAGE height=on></rect>
            <rect class="falls-out" x=x y=HEAD + on width=FALL height=off></rect>
            <text class="label" x=x + 4.0 y="16">{step.name} " →"</text>
            <text x=x + 4.0 y=HEAD + on + off + 16.0>{says}</text>
        }
    });
    view! {
        <svg class="chart stages" role="img" width=rem(width) height=rem(height) viewBox=format!("0 0 {width} {height}")>
            <title>"Where conversations fail first: routing, retrieval, generation"</title>
            <desc>{description}</desc>
            {parts.collect_view()}
            <text class="label" x=end y="16">"Nothing found wrong"</text>
            <text x=end y=HEAD + 16.0>{sound}</text>
        </svg>
    }
}

fn description(steps: &[Step], none: u64) -> String {
    let said: Vec<String> = steps
        .iter()
        .map(|step| format!("{}: {} fail first here ({})", step.name, step.fails, percent(step.off)))
        .collect();
    format!("{}. Nothing found wrong with {}.", said.join(", "), counted(none, "conversation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_out_and_what_goes_on_add_up() {
        let steps = steps(FailedAt { routing: 1, retrieval: 2, generation: 3, none: 4, unjudged: 90 });
        let mut arrives = 1.0;
        for step in &steps {
            assert!((step.on + step.off - arrives).abs() < 1e-12, "{}", step.name);
            arrives = step.on;
        }
        assert!((arrives - 0.4).abs() < 1e-12);
        assert_eq!(
            description(&steps, 4),
            "Routing: 1 fail first here (10 %), Retrieval: 2 fail first here (20 %), Generation: 3 fail first here (30 %). Nothing found wrong with 4 conversations."
        );
    }

    #[test]
    fn nothing_judged_is_no_division_by_zero() {
        assert!(
            steps(FailedAt::default()).iter().all(|step| step.on.abs() < 1e-12 && step.off.abs() < 1e-12)
        );
    }
}
