-- Labelling in rounds: batches for named people, an order of one's own, reservations that expire, hidden repeats, and corrections that
-- were made after the seal had opened.

-- Decides each annotator's own order; null: the order of import, the same for all.
alter table project add column order_seed integer;
-- A place is kept so long for whoever has it on the desk and does nothing.
alter table project add column reservation_hours integer not null default 24 check (reservation_hours between 1 and 8760);
-- After so many conversations one comes again, unmarked; null: never.
alter table project add column repeat_every integer check (repeat_every between 2 and 1000);
-- Whether people see what others said of a conversation that they submitted.
alter table project add column shows_others integer not null default 0 check (shows_others in (0, 1));

-- Conversations that are given to named people. Once a project has one, nothing is given out beside its batches.
create table batch (
    id blob primary key not null,
    project_id blob not null references project (id),
    name text not null,
    -- how many of its people each conversation wants
    overlap integer not null check (overlap between 1 and 100),
    -- decides which conversations were drawn, and in which order they come
    seed integer not null,
    -- a qualification round against this set
    anchor_set_id blob references anchor_set (id),
    created_at integer not null,
    -- nothing is given out from then on
    closed_at integer,
    unique (project_id, name)
) strict;

create table batch_person (
    batch_id blob not null references batch (id),
    user_id blob not null references user (id),
    -- gets nothing from then on; what was done counts
    left_at integer,
    primary key (batch_id, user_id)
) strict, without rowid;
create index batch_person_by_user on batch_person (user_id);

drop trigger queue_follows_conversation;
drop trigger queue_follows_new_assignment;
drop trigger queue_follows_assignment;
drop trigger revision_after_assignment;
drop trigger revision_after_assignment_changed;
drop trigger revision_after_assignment_gone;
drop trigger revision_after_label;
drop view counted_label;
drop table queue;
alter table assignment rename to assignment_before;

-- One conversation given to one person, once for each pass. Open until it is submitted or skipped, or returned with nothing done; what others
-- said of it is sealed while it is open.
create table assignment (
    id blob primary key not null,
    project_id blob not null references project (id),
    conversation_id blob not null references conversation (id),
    user_id blob not null references user (id),
    -- 0, or a hidden repeat
    pass integer not null default 0 check (pass >= 0),
    state text not null check (state in ('open', 'submitted', 'skipped', 'returned')),
    skip_reason text,
    assigned_at integer not null,
    -- since when the place is kept
    reserved_at integer not null,
    -- since when the place is kept no longer: somebody else may have it. What was said stays, and so does the seal
    lapsed_at integer,
    closed_at integer,
    unique (conversation_id, user_id, pass)
) strict;
insert into assignment (id, project_id, conversation_id, user_id, state, skip_reason, assigned_at, reserved_at, closed_at)
select id, project_id, conversation_id, user_id, state, skip_reason, assigned_at, assigned_at, closed_at from assignment_before;
drop table assignment_before;

create index assignment_open_by_user on assignment (user_id, conversation_id) where state = 'open';
create index assignment_by_state on assignment (project_id, state, conversation_id);
create index assignment_by_user on assignment (project_id, user_id, state);
create index assignment_by_conversation on assignment (conversation_id, state, user_id);
create index assignment_by_reservation on assignment (project_id, reserved_at) where state = 'open' and lapsed_at is null;

-- The conversations of a batch, and of the project as a whole (no batch), in the order in which they are given out, and how many
-- annotators each has. The triggers count anew at each change: the number cannot drift.
create table queue (
    project_id blob not null references project (id),
    batch_id blob references batch (id),
    conversation_id blob not null references conversation (id),
    position integer not null,
    wanted integer not null,
    takers integer not null default 0
) strict;
create unique index queue_by_conversation on queue (conversation_id, batch_id);
create index queue_by_place on queue (project_id, batch_id, position) where takers < wanted;

create index queue_of_batch on queue (batch_id) where batch_id is not null;

-- Who has a place: of a batch only its people, also those who left it.
create view taker as
select q.conversation_id, q.batch_id, a.user_id
from queue q
join assignment a on a.conversation_id = q.conversation_id
where a.pass = 0 and (a.state = 'submitted' or (a.state = 'open' and a.lapsed_at is null))
    and (q.batch_id is null or exists (
        select 1 from batch_person p where p.batch_id = q.batch_id and p.user_id = a.user_id
    ));

create trigger queue_follows_conversation after insert on conversation begin
    insert into queue (project_id, conversation_id, position, wanted)
    select new.project_id, new.id, new.position, overlap from project where id = new.project_id;
end;
create trigger queue_follows_overlap after update of overlap on project begin
    update queue set wanted = new.overlap where project_id = new.id and batch_id is null;
end;
create trigger queue_follows_new_assignment after insert on assignment begin
    update queue
    set takers = (
        select count(*) from taker t where t.conversation_id = queue.conversation_id and t.batch_id is queue.batch_id
    )
    where conversation_id = new.conversation_id;
end;
create trigger queue_follows_assignment after update of state, lapsed_at on assignment begin
    update queue
    set takers = (
        select count(*) from taker t where t.conversation_id = queue.conversation_id and t.batch_id is queue.batch_id
    )
    where conversation_id = new.conversation_id;
end;
-- Whoever joins a batch brings what was done before.
create trigger queue_follows_batch_person after insert on batch_person begin
    update queue
    set takers = (
        select count(*) from taker t where t.conversation_id = queue.conversation_id and t.batch_id = new.batch_id
    )
    where batch_id = new.batch_id;
end;

insert into queue (project_id, conversation_id, position, wanted, takers)
select c.project_id, c.id, c.position, p.overlap, (
    select count(*) from assignment a where a.conversation_id = c.id and a.state in ('open', 'submitted')
)
from conversation c join project p on p.id = c.project_id;

-- Given after the seal had opened: kept, shown as such, and no part of agreement.
alter table label add column corrected integer not null default 0 check (corrected in (0, 1));

-- What counts: the last label of each chain that was given under the seal, unless it withdraws; of a user only what was submitted.
create view counted_label as
select l.*
from label l
join annotator a on a.id = l.annotator_id
where l.value is not null and l.corrected = 0
    and not exists (select 1 from label later where later.supersedes = l.id and later.corrected = 0)
    and (
        a.user_id is null
        or exists (
            select 1 from assignment done
            where done.conversation_id = l.conversation_id and done.state = 'submitted' and done.user_id = a.user_id
                and done.pass = l.pass
        )
    );

create trigger revision_after_assignment after insert on assignment begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_assignment_changed after update of state on assignment begin
    update project set revision = revision + 1 where id = new.project_id;
end;
create trigger revision_after_assignment_gone after delete on assignment begin
    update project set revision = revision + 1 where id = old.project_id;
end;
-- What a person writes at an open desk no report sees; submitting it changes the assignment.
create trigger revision_after_label after insert on label
when not exists (
    select 1 from annotator a join assignment desk on desk.user_id = a.user_id
    where a.id = new.annotator_id and desk.conversation_id = new.conversation_id and desk.state = 'open'
)
begin
    update project set revision = revision + 1 where id = new.project_id;
end;
