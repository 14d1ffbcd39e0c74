//! A run that is watched: each step of it is shown as the server tells of it.

use crate::{
    component::{
        form::{ErrorSummary, PostForm, Sending},
        loaded::PageData,
        markup::Fragment,
    },
    rpc::judge::{ChangeRun, RunPage, load_run},
};
use leptos::prelude::*;

/// A run with what can be done about it.
#[component]
pub(crate) fn WatchedRun(
    /// The project.
    project: String,
    /// The run.
    run: String,
) -> impl IntoView {
    let steps = RwSignal::new(0_u32);
    let change = Sending::to::<ChangeRun>();
    #[cfg(feature = "hydrate")]
    watch(&project, &run, steps, change);
    let (of_project, of_run) = (project.clone(), run.clone());
    let data = PageData::new(
        move || (of_project.clone(), of_run.clone(), steps.get()),
        |(project, run, _)| load_run(project, run),
    );
    let shown = data.show(move |RunPage { progress, state }| {
        let ways: &[(&str, &str)] = match state.as_str() {
            "running" => &[("pause", "Pause"), ("cancel", "Give up")],
            "paused" => &[("resume", "Go on"), ("cancel", "Give up")],
            _ => &[],
        };
        let buttons = ways
            .iter()
            .map(|(how, text)| {
                let (project, run) = (project.clone(), run.clone());
                view! {
                    <PostForm sending=change>
                        <input type="hidden" name="project" value=project/>
                        <input type="hidden" name="run" value=run/>
                        <input type="hidden" name="how" value=*how/>
                        <button type="submit" class="button">{*text}</button>
                    </PostForm>
                }
            })
            .collect_view();
        view! {
            <Fragment markup=progress/>
            <div class="row">{buttons}</div>
        }
    });
    view! {
        <section class="part run" aria-labelledby="run">
            <h2 id="run">"Run"</h2>
            <ErrorSummary error=change.error()/>
            {shown}
        </section>
    }
}

/// Listens to the run until it stands still; anew when somebody let it go on.
#[cfg(feature = "hydrate")]
fn watch(project: &str, run: &str, steps: RwSignal<u32>, change: Sending) {
    use crate::address::{encoded, of_project};
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::EventSource;

    let address = of_project(project, &format!("runs/{}/events", encoded(run)));
    Effect::new(move || {
        let _ = change.done();
        let Ok(source) = EventSource::new(&address) else { return };
        let listening = source.clone();
        let heard = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
            // The page may be gone by now.
            let _ = steps.try_update(|steps| *steps += 1);
            if event.type_() == "ended" {
                listening.close();
            }
        });
        let listener = heard.as_ref().unchecked_ref();
        // A browser that cannot listen shows what it has; the page can be loaded again.
        let _ = source.add_event_listener_with_callback("step", listener);
        let _ = source.add_event_listener_with_callback("ended", listener);
        let kept = StoredValue::new_local((source, heard));
        on_cleanup(move || {
            let _ = kept.try_with_value(|(source, _)| source.close());
        });
    });
}
