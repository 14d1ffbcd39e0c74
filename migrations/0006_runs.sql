-- Runs of judges through a provider. What was answered is in `verdict`; here is what a run covers and how far it came. The counts grow in
-- the transaction of the verdicts that they count: a process that is killed leaves both or neither.

create table judge_run (
    run_id blob primary key not null references run (id),
    -- what is judged, how often, and within which limits, as JSON
    plan text not null,
    state text not null check (state in ('running', 'paused', 'cancelled', 'done')),
    -- why it stands still, in words
    says text,
    -- calls that the plan needs, and those that were answered or failed for good
    calls integer not null check (calls >= 0),
    answered integer not null default 0,
    failures integer not null default 0,
    attempts integer not null default 0,
    cost_usd real not null default 0,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    -- milliseconds in which the run was under way
    active_ms integer not null default 0,
    requested_by blob references user (id),
    changed_at integer not null
) strict, without rowid;
create index judge_run_by_state on judge_run (state);
