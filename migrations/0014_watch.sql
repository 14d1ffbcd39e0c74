-- Production: what judges scored there, the sums of each day, and what was told of it.

-- A judge that scores production, declared here or elsewhere.
create table scoring_judge (
    id integer primary key not null,
    project_id blob not null references project (id),
    fingerprint text not null,
    judge text not null,
    version text not null,
    -- the model that answers, by the provider's word
    reported_model text,
    unique (project_id, fingerprint)
) strict;
create trigger scoring_judge_never_changes before update on scoring_judge begin select raise(abort, 'a judge that scored never changes'); end;
create trigger scoring_judge_never_goes before delete on scoring_judge begin select raise(abort, 'a judge that scored never changes'); end;

-- What is scored apart: each dimension, corpus, system and judge. Empty where a score did not say.
create table score_series (
    id integer primary key not null,
    project_id blob not null references project (id),
    dimension text not null,
    corpus text not null,
    system text not null,
    judge_id integer not null references scoring_judge (id),
    unique (project_id, dimension, corpus, system, judge_id)
) strict;

create table score (
    id integer primary key not null,
    project_id blob not null references project (id),
    series_id integer not null references score_series (id),
    -- given by whoever sends it, so that what is sent twice is stored once
    client_key text not null,
    -- days since 1970 in UTC, of scored_at
    day integer not null,
    scored_at integer not null,
    -- on the scale of the criterion, and its share of the scale's range in hundred-thousandths
    value real not null,
    parts integer not null check (parts between 0 and 100000),
    -- whether it reached its judge's threshold; null where the scale has no pass level
    passed integer check (passed in (0, 1)),
    -- id in the source system; the conversation need not have been imported
    conversation text,
    excerpt text,
    received_at integer not null
) strict;
create unique index score_by_client_key on score (project_id, client_key);
create index score_by_day on score (project_id, day, parts);
create index score_by_conversation on score (project_id, conversation) where conversation is not null;
create trigger score_is_append_only_on_update before update on score begin select raise(abort, 'scores are append-only'); end;
create trigger score_is_append_only_on_delete before delete on score begin select raise(abort, 'scores are append-only'); end;

-- The sums of a day, which grow in the transaction of the scores that they count.
create table score_day (
    series_id integer not null references score_series (id),
    day integer not null,
    scores integer not null,
    -- of hundred-thousandths, and of their squares
    sum integer not null,
    squares integer not null,
    passed integer not null,
    -- scores that could pass or fail
    decided integer not null,
    -- JSON list: scores in each twentieth of the range, and those that are its greatest value
    bins text not null,
    primary key (series_id, day)
) strict, without rowid;

-- A promoted judge that was run on its anchor set again.
create table calibration (
    id blob primary key not null,
    project_id blob not null references project (id),
    dimension text not null,
    judge_id integer not null references scoring_judge (id),
    anchor_set text not null,
    -- how much higher it scores than at its promotion, an estimate as JSON
    shift text not null,
    calibrated_at integer not null,
    recorded_at integer not null
) strict;
create index calibration_by_project on calibration (project_id, calibrated_at);
create trigger calibration_never_changes before update on calibration begin select raise(abort, 'calibrations are append-only'); end;
create trigger calibration_never_goes before delete on calibration begin select raise(abort, 'calibrations are append-only'); end;

-- What a project wants to be told of; the last version counts.
create table watch_settings (
    id blob primary key not null,
    project_id blob not null references project (id),
    -- as JSON
    body text not null,
    saved_by blob references user (id),
    saved_at integer not null
) strict;
create index watch_settings_by_project on watch_settings (project_id, saved_at);
create trigger watch_settings_never_change before update on watch_settings begin select raise(abort, 'settings are append-only'); end;
create trigger watch_settings_never_go before delete on watch_settings begin select raise(abort, 'settings are append-only'); end;

-- An alarm that was raised. One for each fall: what is found again within a week is the same.
create table alarm (
    id blob primary key not null,
    project_id blob not null references project (id),
    dimension text not null,
    -- which scores of the dimension: all, those of a corpus, those of a system, as JSON
    cut text not null,
    -- the day on which it was told, since 1970
    day integer not null,
    -- in words
    says text not null,
    raised_at integer not null,
    -- when a webhook took it; null where none has
    told_at integer
) strict;
create index alarm_by_project on alarm (project_id, dimension, cut, day);
