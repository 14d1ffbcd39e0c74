//! Deciding whether a judge may be promoted, and the log of what was decided.

#[cfg(feature = "ssr")]
pub(crate) mod log;
mod slots;

use crate::{
    component::{
        announcer::Heading,
        form::{About, Choice, ErrorSummary, Field, PostForm, Sending, wrong_with},
        loaded::PageData,
        markup::Fragment,
    },
    page::gate::slots::Slots,
    param::{project_param, query_param},
    rpc::{
        gate::{Decide, GatePage as Shown, load_gate},
        release::RollBack,
    },
};
use domain::{ReferenceRule, visible};
use leptos::prelude::*;

/// A policy to begin with: what every promotion should show.
const POLICY: &str = r#"name = "promotion"

[rules]
minimum_n = 50            # fewer items decide nothing
failure_share = 0.02      # at most 2 % without a valid verdict
kappa_at_least = 0.4      # the whole interval of κ above it
non_inferiority = 0.05    # shown to be no worse than the incumbent by more

# A rule that stands under a criterion replaces the general one there:
# [criterion.helpfulness]
# kappa_at_least = { value = 0.3, on = "point" }

# A metric of conversations, from the judge beside the same from people:
# [metric.faithfulness_to_cited]
# difference_at_most = 0.1
"#;

/// The gate page.
#[component]
pub(crate) fn GatePage() -> impl IntoView {
    let project = project_param();
    let (candidate, incumbent) = (query_param("candidate"), query_param("incumbent"));
    let roll_back = Sending::to::<RollBack>();
    let data = PageData::new(move || (project.get(), roll_back.done()), |(project, _)| load_gate(project));
    data.show(move |shown| {
        let project = project.get_untracked();
        let Shown { decisions, log, slots, judges, anchor_sets, policy, may_decide, may_promote } = shown;
        let form = may_decide.then(|| {
            view! {
                <DecideForm
                    project=project.clone()
                    judges=judges
                    anchor_sets=anchor_sets
                    policy=policy.unwrap_or_else(|| POLICY.to_owned())
                    candidate=candidate.get_untracked().unwrap_or_default()
                    incumbent=incumbent.get_untracked().unwrap_or_default()
                />
            }
        });
        view! {
            <div class="page">
                <Heading title="Gate"/>
                <Slots project=project slots=slots roll_back=may_promote.then_some(roll_back)/>
                {form}
                <Fragment markup=decisions/>
                <Fragment markup=log/>
            </div>
        }
    })
}

/// Who stands, against whom, on which reference, under which policy.
#[component]
fn DecideForm(
    /// The project.
    project: String,
    /// Every judge that could stand.
    judges: Vec<String>,
    /// The frozen sets.
    anchor_sets: Vec<String>,
    /// The policy to begin with.
    policy: String,
    /// The judge that would be promoted, if the address names one.
    candidate: String,
    /// The judge in place, if the address names one.
    incumbent: String,
) -> impl IntoView {
    let decide = Sending::to::<Decide>();
    let error = decide.error();
    if judges.is_empty() {
        return view! { <NoJudges project=project/> }.into_any();
    }
    let named: Vec<(String, String)> =
        judges.into_iter().map(|judge| (judge.clone(), visible(&judge))).collect();
    let mut incumbents = vec![(String::new(), "none: the first promotion".to_owned())];
    incumbents.extend(named.clone());
    let mut rules = vec![(String::new(), "as the project has it".to_owned())];
    rules.extend(ReferenceRule::ALL.iter().map(|rule| (rule.word().to_owned(), rule.word().to_owned())));
    let mut references = vec![(String::new(), "the labels as they are now: advice only".to_owned())];
    for set in anchor_sets {
        let name = visible(&set);
        references
            .extend(["confirm", "tune"].map(|split| (format!("{set} {split}"), format!("{name}, {split}"))));
    }
    let wrong = wrong_with(error, "policy");
    view! {
        <section class="part" aria-labelledby="decide">
            <h2 id="decide">"Decide"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=decide>
                <input type="hidden" name="project" value=project/>
                <div class="card gate-form">
                    <div class="fields">
                        <Choice name="candidate" label="Candidate" options=named chosen=candidate error=error/>
                        <Choice name="incumbent" label="Incumbent" options=incumbents chosen=incumbent error=error/>
                        <Choice name="reference" label="Reference" options=references error=error/>
                        <Field name="why" label="Why confirm is opened" optional=true error=error/>
                        <Choice name="rule" label="Rule of live labels" options=rules error=error/>
                        <Field
                            name="annotators"
                            label="Annotators"
                            optional=true
                            hint="Names with commas between them; all who labelled, where nothing stands here."
                            error=error
                        />
                    </div>
                    <div class="field">
                        <label for="field-policy">"Policy (TOML)"</label>
                        <textarea
                            id="field-policy"
                            name="policy"
                            class="code"
                            rows="14"
                            spellcheck="false"
                            required
                            aria-describedby="about-policy"
                            aria-invalid=move || wrong.get().is_some().then_some("true")
                        >
                            {policy}
                        </textarea>
                        <About id="about-policy".to_owned() hint=None wrong=wrong/>
                        <label class="inline">
                            <input type="checkbox" name="keep" value="on"/>
                            " Keep it as the next version of the project's policy"
                        </label>
                    </div>
                </div>
                <p class="row">
                    <button type="submit" class="button primary" disabled=move || decide.is_pending()>
                        {move || if decide.is_pending() { "Deciding…" } else { "Decide" }}
                    </button>
                    <span class="note">"The answer is stored with the hashes of everything behind it, and never changed. On live labels it is advice."</span>
                </p>
            </PostForm>
        </section>
    }
    .into_any()
}

/// What to do where no judge has verdicts.
#[component]
fn NoJudges(
    /// The project.
    project: String,
) -> impl IntoView {
    let command = format!("touchstone import verdicts --project {} verdicts.csv", visible(&project));
    view! {
        <section class="card empty">
            <h2>"No judge to decide on"</h2>
            <p>"A gate needs the verdicts of a judge on items that people labelled."</p>
            <pre tabindex="0" role="region" aria-label="Command">{command}</pre>
        </section>
    }
}
