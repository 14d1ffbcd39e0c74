//! Anchor sets: what is frozen, and the form that draws and freezes the next. Drawing needs no program in the page: it is an address.

#[cfg(feature = "ssr")]
pub(crate) mod frozen;
#[cfg(feature = "ssr")]
pub(crate) mod list;

use crate::{
    address::of_project,
    component::{
        announcer::Heading,
        form::{ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        markup::Fragment,
        sentence::sentence,
    },
    param::{path_param, project_param, query_param},
    rpc::anchor_set::{
        AnchorDraft, AnchorSetsPage as Page, FreezeAnchorSet, load_anchor_set, load_anchor_sets,
    },
};
use leptos::prelude::*;

/// The page of all sets.
#[component]
pub(crate) fn AnchorSetsPage() -> impl IntoView {
    let project = project_param();
    let fields = ["name", "size", "confirm", "seed", "criteria", "owner", "expires"].map(query_param);
    let draft = Memo::new(move |_| {
        fields[0].get()?;
        let [name, size, confirm, seed, criteria, owner, expires] =
            fields.map(|field| field.get().unwrap_or_default());
        Some(AnchorDraft { name, size, confirm, seed, criteria, owner, expires })
    });
    let data = PageData::new(
        move || (project.get(), draft.get()),
        |(project, draft)| load_anchor_sets(project, draft),
    );
    data.show(move |shown| {
        let Page { sets, preview, refused } = shown;
        let project = project.get_untracked();
        let draft = draft.get_untracked();
        let freeze = preview.is_some().then(|| {
            view! { <Freeze project=project.clone() draft=draft.clone().unwrap_or_default()/> }
        });
        let usual = || AnchorDraft {
            size: "300".to_owned(),
            confirm: "0.5".to_owned(),
            seed: "1".to_owned(),
            ..AnchorDraft::default()
        };
        view! {
            <div class="page">
                <Heading title="Anchor sets"/>
                <Fragment markup=sets/>
                <Draw project=project.clone() draft=draft.unwrap_or_else(usual)/>
                {refused.map(|says| view! { <p class="wrong" role="alert">{sentence(&says)}</p> })}
                {preview.map(|markup| view! { <Fragment markup=markup/> })}
                {freeze}
            </div>
        }
    })
}

/// The page of one set.
#[component]
pub(crate) fn AnchorSetPage() -> impl IntoView {
    let (project, name, documents) = (project_param(), path_param("set"), query_param("documents"));
    let data = PageData::new(
        move || (project.get(), name.get(), documents.get().unwrap_or_default()),
        |(project, name, documents)| load_anchor_set(project, name, documents),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}

/// What is to be drawn.
#[component]
fn Draw(
    /// The project.
    project: String,
    /// What stands in the form at first.
    draft: AnchorDraft,
) -> impl IntoView {
    let error = Signal::stored(None);
    let action = of_project(&project, "anchor-sets");
    view! {
        <section class="part" aria-labelledby="draw">
            <h2 id="draw">"Draw a set"</h2>
            <form method="get" action=action>
                <div class="card run-form">
                    <Field name="name" label="Name" value=draft.name hint="Its versions count up from 1." error=error/>
                    <Field name="size" label="At most so many items" kind="number" value=draft.size optional=true error=error/>
                    <Field name="confirm" label="Share of confirm" value=draft.confirm optional=true error=error/>
                    <Field name="seed" label="Seed" kind="number" value=draft.seed optional=true error=error/>
                    <Field name="criteria" label="Criteria" value=draft.criteria optional=true hint="Ids with commas between them; all where nothing stands here." error=error/>
                    <Field name="owner" label="Owner" value=draft.owner optional=true error=error/>
                    <Field name="expires" label="Expires" value=draft.expires optional=true hint="Such as 2027-12-31." error=error/>
                </div>
                <p class="row">
                    <button type="submit" class="button">"Preview"</button>
                    <span class="note">"Nothing is stored. Conversations that somebody is labelling are left out."</span>
                </p>
            </form>
        </section>
    }
}

/// Freezes what was drawn.
#[component]
fn Freeze(
    /// The project.
    project: String,
    /// What was drawn.
    draft: AnchorDraft,
) -> impl IntoView {
    let freeze = Sending::to::<FreezeAnchorSet>();
    let error = freeze.error();
    let AnchorDraft { name, size, confirm, seed, criteria, owner, expires } = draft;
    let hidden = [
        ("project", project),
        ("name", name),
        ("size", size),
        ("confirm", confirm),
        ("seed", seed),
        ("criteria", criteria),
        ("owner", owner),
        ("expires", expires),
    ]
    .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
    .collect_view();
    view! {
        <ErrorSummary error=error/>
        <PostForm sending=freeze>
            {hidden}
            <p class="row">
                <button type="submit" class="button primary" disabled=move || freeze.is_pending()>"Freeze"</button>
                <span class="note">"A frozen set never changes; a correction is another version."</span>
            </p>
        </PostForm>
    }
}
