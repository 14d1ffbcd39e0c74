-- Answers of the inline gate that no judge gave: it failed, was late, or was asked too often at once.
create table inline_answer (
    id integer primary key not null,
    project_id blob not null references project (id),
    criterion text not null,
    -- hash of what was to be scored; its text is not kept
    content_hash text not null,
    reason text not null check (reason in ('failed', 'late', 'busy', 'no_judge')),
    says text not null,
    passed integer not null check (passed in (0, 1)),
    latency_ms real not null,
    answered_at integer not null
) strict;
create index inline_answer_by_project on inline_answer (project_id, answered_at);
create trigger inline_answer_is_append_only_on_update before update on inline_answer begin select raise(abort, 'answers of the inline gate are append-only'); end;
create trigger inline_answer_is_append_only_on_delete before delete on inline_answer begin select raise(abort, 'answers of the inline gate are append-only'); end;

-- A sample of the conversations that were imported between two places in the order of import.
create table sampling (
    id blob primary key not null,
    project_id blob not null references project (id),
    share real not null,
    seed integer not null,
    -- positions of conversations: after the one, through the other
    after integer not null,
    through integer not null,
    begun_at integer not null,
    -- null until every conversation that was drawn has been scored
    done_at integer
) strict;
create index sampling_by_project on sampling (project_id, through);
