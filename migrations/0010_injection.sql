-- What judge versions answered about the texts of an injection set. They are no conversations of the project, and so no verdicts.

create table injection_answer (
    id integer primary key not null,
    judge_version_id blob not null references judge_version (id),
    -- the set, by its hash, and what it asks about
    anchor_hash text not null,
    conversation text not null,
    unit text not null,
    criterion text not null,
    reported_model text,
    value real,
    failure text check (failure in ('off_scale', 'unparsable', 'refused', 'truncated', 'timed_out', 'missing', 'other')),
    failure_says text,
    raw text,
    cost_usd real,
    judged_at integer not null,
    -- a value or a failure, never both, never neither
    check ((value is null) <> (failure is null)),
    unique (judge_version_id, anchor_hash, conversation, unit, criterion)
) strict;
create trigger injection_answer_never_changes before update on injection_answer begin select raise(abort, 'answers to injections are append-only'); end;
create trigger injection_answer_never_goes before delete on injection_answer begin select raise(abort, 'answers to injections are append-only'); end;
