-- What was decided of items on which people do not agree, and what each reference was made of.

-- Append-only. What decides an item again supersedes what was decided before.
create table adjudication (
    id blob primary key not null,
    project_id blob not null references project (id),
    conversation_id blob not null references conversation (id),
    criterion text not null,
    unit text not null,
    value real not null,
    reason text not null check (
        reason in ('guideline_gap', 'guideline_misread', 'slip', 'ambiguous_conversation', 'missing_context', 'judgement')
    ),
    note text not null,
    -- JSON list of {annotator, value}: the labels that were seen, by annotator
    labels text not null,
    rubric_version_id blob not null references rubric_version (id),
    -- the person's name, and the account where it was decided here
    decided_by text not null,
    user_id blob references user (id),
    decided_at integer not null,
    -- the decision that this one replaces, and that nothing else may replace
    supersedes blob references adjudication (id)
) strict;
create unique index adjudication_is_superseded_once on adjudication (supersedes) where supersedes is not null;
-- One first decision for each item; what follows must supersede.
create unique index adjudication_begins_once on adjudication (conversation_id, criterion, unit) where supersedes is null;
create index adjudication_by_item on adjudication (conversation_id, criterion, unit);
create index adjudication_by_project on adjudication (project_id);
create trigger adjudication_is_append_only_on_update before update on adjudication begin select raise(abort, 'adjudications are append-only'); end;
create trigger adjudication_is_append_only_on_delete before delete on adjudication begin select raise(abort, 'adjudications are append-only'); end;
create trigger revision_after_adjudication after insert on adjudication begin
    update project set revision = revision + 1 where id = new.project_id;
end;

-- JSON list of {annotator, value}: the labels that a reference was made of, and the decision where there was one.
alter table reference add column labels text not null default '[]';
alter table reference add column adjudication_id blob references adjudication (id);

-- Under which rubric version the references were built; null where they were built before this was kept.
alter table reference_set add column rubric_version_id blob references rubric_version (id);
