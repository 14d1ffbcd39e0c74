-- The items of frozen anchor sets one by one, so that the seal is in the query, and who opened `confirm`. Items are written in the
-- transaction of their set, which raises the revision of the project for both.

create table anchor_item (
    anchor_set_id blob not null references anchor_set (id),
    conversation_id blob not null references conversation (id),
    criterion text not null,
    unit text not null,
    stratum text not null,
    -- JSON list of {annotator, value}, annotators under pseudonyms
    labels text not null,
    reference real not null,
    provenance text not null check (provenance in ('single', 'unanimous', 'majority', 'median', 'adjudicated')),
    split text not null check (split in ('tune', 'confirm')),
    primary key (anchor_set_id, conversation_id, criterion, unit)
) strict, without rowid;
create trigger anchor_item_never_changes before update on anchor_item begin select raise(abort, 'a frozen anchor set never changes'); end;
create trigger anchor_item_never_goes before delete on anchor_item begin select raise(abort, 'a frozen anchor set never changes'); end;

-- Each look at the `confirm` split of a set.
create table confirm_opening (
    id integer primary key not null,
    anchor_set_id blob not null references anchor_set (id),
    opened_by blob references user (id),
    opened_at integer not null,
    -- 1 for the first look at one of the candidates, and so on
    look integer not null check (look > 0),
    why text
) strict;
create index confirm_opening_by_anchor_set on confirm_opening (anchor_set_id);
create trigger confirm_opening_is_append_only_on_update before update on confirm_opening begin select raise(abort, 'openings are append-only'); end;
create trigger confirm_opening_is_append_only_on_delete before delete on confirm_opening begin select raise(abort, 'openings are append-only'); end;

-- The judges that a look was at.
create table confirm_candidate (
    confirm_opening_id integer not null references confirm_opening (id),
    judge text not null,
    primary key (confirm_opening_id, judge)
) strict, without rowid;
create trigger confirm_candidate_is_append_only_on_update before update on confirm_candidate begin select raise(abort, 'openings are append-only'); end;
create trigger confirm_candidate_is_append_only_on_delete before delete on confirm_candidate begin select raise(abort, 'openings are append-only'); end;
