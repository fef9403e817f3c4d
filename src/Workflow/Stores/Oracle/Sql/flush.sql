-- name: flush
-- One batch: one call, one transaction, one commit. The document says how many rows each of its lists has, so that an empty list is not
-- looked for, and a row that got lost on the way is noticed. What is removed goes before what is added. Nothing is committed when a
-- guard fails.
-- Errors: -20001 the lane has another owner; -20002 memory and store disagree; -20003 the document and what was written of it disagree.
-- The hints say that lists are short: rows are found by their keys, however large the tables are.
declare
    v_doc  clob := :p_batch;
    v_form constant varchar2(40) := 'YYYY-MM-DD"T"HH24:MI:SS.FF';
    v_same number;

    cursor c_head is
        select j.lane, j.lane_count, j.epoch, j.batch_no, j.last_sequence, j.published_sequence, j.last_position, j.dormant, j.dormant_tasks,
               j.pending_removed, j.dormant_waits_removed, j.woken, j.inserted, j.updated, j.finished_at_once, j.finished, j.retried,
               j.finished_again, j.made_dormant, j.dormant_waits_added, j.history_added, j.pending_added, j.tasks_added,
               j.task_groups_added, j.tasks_changed, j.children_added, j.replies, j.dead_letters_added, j.dead_letters_changed,
               j.request_keys, j.events
          from json_table(v_doc, '$' error on error columns (
                   lane                 number(10) path '$.lane',
                   lane_count           number(10) path '$.laneCount',
                   epoch                number(19) path '$.epoch',
                   batch_no             number(19) path '$.number',
                   last_sequence        number(19) path '$.lastSequence',
                   published_sequence   number(19) path '$.publishedSequence',
                   last_position        number(19) path '$.lastPosition',
                   dormant              number(19) path '$.dormant',
                   dormant_tasks        number(19) path '$.dormantTasks',
                   pending_removed      number(10) path '$.counts.pendingRemoved',
                   dormant_waits_removed number(10) path '$.counts.dormantWaitsRemoved',
                   woken                number(10) path '$.counts.woken',
                   inserted             number(10) path '$.counts.inserted',
                   updated              number(10) path '$.counts.updated',
                   finished_at_once     number(10) path '$.counts.finishedAtOnce',
                   finished             number(10) path '$.counts.finished',
                   retried              number(10) path '$.counts.retried',
                   finished_again       number(10) path '$.counts.finishedAgain',
                   made_dormant         number(10) path '$.counts.madeDormant',
                   dormant_waits_added  number(10) path '$.counts.dormantWaitsAdded',
                   history_added        number(10) path '$.counts.historyAdded',
                   pending_added        number(10) path '$.counts.pendingAdded',
                   tasks_added          number(10) path '$.counts.tasksAdded',
                   task_groups_added    number(10) path '$.counts.taskGroupsAdded',
                   tasks_changed        number(10) path '$.counts.tasksChanged',
                   children_added       number(10) path '$.counts.childrenAdded',
                   replies              number(10) path '$.counts.replies',
                   dead_letters_added   number(10) path '$.counts.deadLettersAdded',
                   dead_letters_changed number(10) path '$.counts.deadLettersChanged',
                   request_keys         number(10) path '$.counts.keys',
                   events               number(10) path '$.counts.events')) j;
    v_head c_head%rowtype;

    procedure expect_rows(p_matched number, p_wanted number, p_what varchar2) is
    begin
        if p_matched <> p_wanted then
            raise_application_error(-20002, p_what || ': ' || p_matched || ' of ' || p_wanted || ' rows were as expected');
        end if;
    end;

    procedure expect_written(p_written number, p_wanted number, p_what varchar2) is
    begin
        if p_written <> p_wanted then
            raise_application_error(-20003, p_what || ': ' || p_written || ' of ' || p_wanted || ' rows were written');
        end if;
    end;
begin
    open c_head;
    fetch c_head into v_head;
    close c_head;

    update lanes
       set last_batch = v_head.batch_no, last_sequence = v_head.last_sequence, published_sequence = v_head.published_sequence,
           last_position = v_head.last_position, dormant = v_head.dormant, dormant_tasks = v_head.dormant_tasks,
           counted_batch = v_head.batch_no, lane_count = v_head.lane_count
     where lane = v_head.lane and epoch = v_head.epoch and last_batch = v_head.batch_no - 1;
    if sql%rowcount = 0 then
        select count(*) into v_same from lanes where lane = v_head.lane and epoch = v_head.epoch;
        if v_same = 1 then
            raise_application_error(-20002, 'lane ' || v_head.lane || ': the batch does not follow the last one committed');
        end if;
        raise_application_error(-20001, 'lane ' || v_head.lane || ': epoch ' || v_head.epoch || ' is over');
    end if;

    if v_head.pending_removed > 0 then
        delete from pending
         where id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(v_doc, '$.pendingRemoved[*]' error on error columns (
                  id varchar2(32) path '$.id')) j);
        expect_rows(sql%rowcount, v_head.pending_removed, 'removed pending rows');
    end if;
    if v_head.dormant_waits_removed > 0 then
        delete from dormant_waits
         where (slot_no, wait_id) in (
            select /*+ cardinality(j 10) */ j.slot_no, hextoraw(j.wait_id)
              from json_table(v_doc, '$.dormantWaitsRemoved[*]' error on error columns (
                  slot_no number(19)   path '$.slot',
                  wait_id varchar2(32) path '$.waitId')) j);
        expect_rows(sql%rowcount, v_head.dormant_waits_removed, 'removed waits of dormant instances');
    end if;
    if v_head.woken > 0 then
        insert into instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc)
        select
               d.id, d.partition_no, d.definition, d.definition_version, d.revision, d.state, d.correlation_key, d.body, d.history,
               d.created_utc, d.updated_utc
          from (
            select /*+ cardinality(j 10) */ hextoraw(j.id) as id, j.revision
              from json_table(v_doc, '$.woken[*]' error on error columns (
                  id       varchar2(32) path '$.id',
                  revision number(19)   path '$.revision')) j) u
          join dormant_instances d on d.id = u.id and d.revision = u.revision;
        expect_rows(sql%rowcount, v_head.woken, 'dormant instances');
        delete from dormant_instances
         where id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(v_doc, '$.woken[*]' error on error columns (
                  id varchar2(32) path '$.id')) j);
        expect_rows(sql%rowcount, v_head.woken, 'instances that were dormant');
    end if;
    if v_head.inserted > 0 then
        insert into instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc)
        select /*+ cardinality(j 10) */
               hextoraw(j.id), j.partition_no, j.definition, j.definition_version, j.revision, j.state, j.correlation_key, j.body,
               j.history, to_timestamp(j.created_utc, v_form), to_timestamp(j.updated_utc, v_form)
          from json_table(v_doc, '$.inserted[*]' error on error columns (
              id                 varchar2(32)       path '$.id',
              partition_no       number(5)          path '$.partition',
              definition         varchar2(128 char) path '$.definition',
              definition_version number(10)         path '$.definitionVersion',
              revision           number(19)         path '$.revision',
              state              number(5)          path '$.state',
              correlation_key    varchar2(4000)     path '$.correlationKey',
              body               clob               path '$.body',
              history            clob               path '$.history',
              created_utc        varchar2(32)       path '$.createdUtc',
              updated_utc        varchar2(32)       path '$.updatedUtc')) j;
        expect_written(sql%rowcount, v_head.inserted, 'new instances');
    end if;
    if v_head.updated > 0 then
        merge into instances i
        using (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.revision, j.state, j.body, j.history, to_timestamp(j.updated_utc, v_form) as updated_utc
              from json_table(v_doc, '$.updated[*]' error on error columns (
                  id          varchar2(32) path '$.id',
                  revision    number(19)   path '$.revision',
                  state       number(5)    path '$.state',
                  body        clob         path '$.body',
                  history     clob         path '$.history',
                  updated_utc varchar2(32) path '$.updatedUtc')) j) u
           on (i.id = u.id)
         when matched then
            update set i.revision = u.revision, i.state = u.state, i.body = u.body, i.history = i.history || u.history,
                       i.updated_utc = u.updated_utc
             where i.revision = u.revision - 1;
        expect_rows(sql%rowcount, v_head.updated, 'updated instances');
    end if;
    if v_head.finished_at_once > 0 then
        insert into finished_instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc)
        select /*+ cardinality(j 10) */
               hextoraw(j.id), j.partition_no, j.definition, j.definition_version, j.revision, j.state, j.correlation_key, j.body,
               j.history, to_timestamp(j.created_utc, v_form), to_timestamp(j.updated_utc, v_form)
          from json_table(v_doc, '$.finishedAtOnce[*]' error on error columns (
              id                 varchar2(32)       path '$.id',
              partition_no       number(5)          path '$.partition',
              definition         varchar2(128 char) path '$.definition',
              definition_version number(10)         path '$.definitionVersion',
              revision           number(19)         path '$.revision',
              state              number(5)          path '$.state',
              correlation_key    varchar2(4000)     path '$.correlationKey',
              body               clob               path '$.body',
              history            clob               path '$.history',
              created_utc        varchar2(32)       path '$.createdUtc',
              updated_utc        varchar2(32)       path '$.updatedUtc')) j;
        expect_written(sql%rowcount, v_head.finished_at_once, 'instances finished at once');
    end if;
    if v_head.finished > 0 then
        insert into finished_instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc)
        select
               u.id, u.partition_no, u.definition, u.definition_version, u.revision, u.state, u.correlation_key, u.body,
               i.history || u.history, u.created_utc, u.updated_utc
          from (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.partition_no, j.definition, j.definition_version, j.revision, j.state, j.correlation_key,
                   j.body, j.history, to_timestamp(j.created_utc, v_form) as created_utc,
                   to_timestamp(j.updated_utc, v_form) as updated_utc
              from json_table(v_doc, '$.finished[*]' error on error columns (
                  id                 varchar2(32)       path '$.id',
                  partition_no       number(5)          path '$.partition',
                  definition         varchar2(128 char) path '$.definition',
                  definition_version number(10)         path '$.definitionVersion',
                  revision           number(19)         path '$.revision',
                  state              number(5)          path '$.state',
                  correlation_key    varchar2(4000)     path '$.correlationKey',
                  body               clob               path '$.body',
                  history            clob               path '$.history',
                  created_utc        varchar2(32)       path '$.createdUtc',
                  updated_utc        varchar2(32)       path '$.updatedUtc')) j) u
          join instances i on i.id = u.id and i.revision = u.revision - 1;
        expect_rows(sql%rowcount, v_head.finished, 'finished instances');
        delete from instances
         where id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(v_doc, '$.finished[*]' error on error columns (
                  id varchar2(32) path '$.id')) j);
        expect_rows(sql%rowcount, v_head.finished, 'instances that are over');
    end if;
    if v_head.retried > 0 then
        insert into instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc)
        select
               u.id, u.partition_no, u.definition, u.definition_version, u.revision, u.state, u.correlation_key, u.body,
               f.history || u.history, u.created_utc, u.updated_utc
          from (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.partition_no, j.definition, j.definition_version, j.revision, j.state, j.correlation_key,
                   j.body, j.history, to_timestamp(j.created_utc, v_form) as created_utc,
                   to_timestamp(j.updated_utc, v_form) as updated_utc
              from json_table(v_doc, '$.retried[*]' error on error columns (
                  id                 varchar2(32)       path '$.id',
                  partition_no       number(5)          path '$.partition',
                  definition         varchar2(128 char) path '$.definition',
                  definition_version number(10)         path '$.definitionVersion',
                  revision           number(19)         path '$.revision',
                  state              number(5)          path '$.state',
                  correlation_key    varchar2(4000)     path '$.correlationKey',
                  body               clob               path '$.body',
                  history            clob               path '$.history',
                  created_utc        varchar2(32)       path '$.createdUtc',
                  updated_utc        varchar2(32)       path '$.updatedUtc')) j) u
          join finished_instances f on f.id = u.id and f.revision = u.revision - 1 and f.state = 4;
        expect_rows(sql%rowcount, v_head.retried, 'retried instances');
        delete from finished_instances
         where id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(v_doc, '$.retried[*]' error on error columns (
                  id varchar2(32) path '$.id')) j);
        expect_rows(sql%rowcount, v_head.retried, 'instances that had failed');
    end if;
    if v_head.finished_again > 0 then
        merge into finished_instances i
        using (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.revision, j.state, j.body, j.history, to_timestamp(j.updated_utc, v_form) as updated_utc
              from json_table(v_doc, '$.finishedAgain[*]' error on error columns (
                  id          varchar2(32) path '$.id',
                  revision    number(19)   path '$.revision',
                  state       number(5)    path '$.state',
                  body        clob         path '$.body',
                  history     clob         path '$.history',
                  updated_utc varchar2(32) path '$.updatedUtc')) j) u
           on (i.id = u.id)
         when matched then
            update set i.revision = u.revision, i.state = u.state, i.body = u.body, i.history = i.history || u.history,
                       i.updated_utc = u.updated_utc
             where i.revision = u.revision - 1 and i.state = 4;
        expect_rows(sql%rowcount, v_head.finished_again, 'retried and finished instances');
    end if;
    if v_head.made_dormant > 0 then
        insert into dormant_instances
               (id, partition_no, definition, definition_version, revision, state, correlation_key, body, history, created_utc,
                updated_utc, next_due_utc)
        select
               i.id, i.partition_no, i.definition, i.definition_version, i.revision, i.state, i.correlation_key, i.body, i.history,
               i.created_utc, i.updated_utc, u.next_due_utc
          from (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.revision, to_timestamp(j.next_due_utc, v_form) as next_due_utc
              from json_table(v_doc, '$.madeDormant[*]' error on error columns (
                  id           varchar2(32) path '$.id',
                  revision     number(19)   path '$.revision',
                  next_due_utc varchar2(32) path '$.nextDueUtc')) j) u
          join instances i on i.id = u.id and i.revision = u.revision;
        expect_rows(sql%rowcount, v_head.made_dormant, 'instances that become dormant');
        delete from instances
         where id in (
            select /*+ cardinality(j 10) */ hextoraw(j.id)
              from json_table(v_doc, '$.madeDormant[*]' error on error columns (
                  id varchar2(32) path '$.id')) j);
        expect_rows(sql%rowcount, v_head.made_dormant, 'instances that are dormant');
    end if;
    if v_head.dormant_waits_added > 0 then
        insert into dormant_waits
               (slot_no, wait_id, instance_id)
        select /*+ cardinality(j 10) */
               j.slot_no, hextoraw(j.wait_id), hextoraw(j.instance_id)
          from json_table(v_doc, '$.dormantWaitsAdded[*]' error on error columns (
              slot_no     number(19)   path '$.slot',
              wait_id     varchar2(32) path '$.waitId',
              instance_id varchar2(32) path '$.instanceId')) j;
        expect_written(sql%rowcount, v_head.dormant_waits_added, 'waits of dormant instances');
    end if;
    if v_head.history_added > 0 then
        insert into instance_history
               (instance_id, revision, lines)
        select /*+ cardinality(j 10) */
               hextoraw(j.instance_id), j.revision, j.lines
          from json_table(v_doc, '$.historyAdded[*]' error on error columns (
              instance_id varchar2(32) path '$.instanceId',
              revision    number(19)   path '$.revision',
              lines       clob         path '$.lines')) j;
        expect_written(sql%rowcount, v_head.history_added, 'histories');
    end if;
    if v_head.pending_added > 0 then
        insert into pending
               (id, partition_no, kind, position_no, body)
        select /*+ cardinality(j 10) */
               hextoraw(j.id), j.partition_no, j.kind, j.position_no, j.body
          from json_table(v_doc, '$.pendingAdded[*]' error on error columns (
              id           varchar2(32) path '$.id',
              partition_no number(5)    path '$.partition',
              kind         number(5)    path '$.kind',
              position_no  number(19)   path '$.position',
              body         clob         path '$.body')) j;
        expect_written(sql%rowcount, v_head.pending_added, 'new pending rows');
    end if;
    if v_head.tasks_added > 0 then
        insert into tasks
               (id, partition_no, instance_id, definition, definition_version, correlation_key, step_name, state, assignee, group_names,
               output, created_utc, updated_utc, due_utc)
        select /*+ cardinality(j 10) */
               hextoraw(j.id), j.partition_no, hextoraw(j.instance_id), j.definition, j.definition_version, j.correlation_key,
               j.step_name, j.state, j.assignee, j.group_names, j.output, to_timestamp(j.created_utc, v_form),
               to_timestamp(j.updated_utc, v_form), to_timestamp(j.due_utc, v_form)
          from json_table(v_doc, '$.tasksAdded[*]' error on error columns (
              id                 varchar2(32)       path '$.id',
              partition_no       number(5)          path '$.partition',
              instance_id        varchar2(32)       path '$.instanceId',
              definition         varchar2(128 char) path '$.definition',
              definition_version number(10)         path '$.definitionVersion',
              correlation_key    varchar2(4000)     path '$.correlationKey',
              step_name          varchar2(128 char) path '$.step',
              state              number(5)          path '$.state',
              assignee           varchar2(256 char) path '$.assignee',
              group_names        clob               path '$.groupNames',
              output             clob               path '$.output',
              created_utc        varchar2(32)       path '$.createdUtc',
              updated_utc        varchar2(32)       path '$.updatedUtc',
              due_utc            varchar2(32)       path '$.dueUtc')) j;
        expect_written(sql%rowcount, v_head.tasks_added, 'new tasks');
    end if;
    if v_head.task_groups_added > 0 then
        insert into task_groups
               (group_name, task_id)
        select /*+ cardinality(j 10) */
               j.group_name, hextoraw(j.task_id)
          from json_table(v_doc, '$.taskGroupsAdded[*]' error on error columns (
              group_name varchar2(256 char) path '$.groupName',
              task_id    varchar2(32)       path '$.taskId')) j;
        expect_written(sql%rowcount, v_head.task_groups_added, 'groups of new tasks');
    end if;
    if v_head.tasks_changed > 0 then
        merge into tasks t
        using (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.state, j.assignee, j.output, to_timestamp(j.updated_utc, v_form) as updated_utc
              from json_table(v_doc, '$.tasksChanged[*]' error on error columns (
                  id          varchar2(32)       path '$.id',
                  state       number(5)          path '$.state',
                  assignee    varchar2(256 char) path '$.assignee',
                  output      clob               path '$.output',
                  updated_utc varchar2(32)       path '$.updatedUtc')) j) u
           on (t.id = u.id)
         when matched then
            update set t.state = u.state, t.assignee = u.assignee, t.output = u.output, t.updated_utc = u.updated_utc
             where t.state = 0;
        expect_rows(sql%rowcount, v_head.tasks_changed, 'changed tasks');
    end if;
    if v_head.children_added > 0 then
        insert into children
               (parent_id, child_id)
        select /*+ cardinality(j 10) */
               hextoraw(j.parent_id), hextoraw(j.child_id)
          from json_table(v_doc, '$.childrenAdded[*]' error on error columns (
              parent_id varchar2(32) path '$.parentId',
              child_id  varchar2(32) path '$.childId')) j;
        expect_written(sql%rowcount, v_head.children_added, 'new children');
    end if;
    if v_head.replies > 0 then
        insert into replies
               (message_id, body, created_utc)
        select /*+ cardinality(j 10) */
               hextoraw(j.message_id), j.body, to_timestamp(j.created_utc, v_form)
          from json_table(v_doc, '$.replies[*]' error on error columns (
              message_id  varchar2(32) path '$.messageId',
              body        clob         path '$.body',
              created_utc varchar2(32) path '$.createdUtc')) j;
        expect_written(sql%rowcount, v_head.replies, 'replies');
    end if;
    if v_head.dead_letters_added > 0 then
        insert into dead_letters
               (id, partition_no, kind, subject_id, instance_id, reason, attempts, payload, created_utc, last_attempt_utc)
        select /*+ cardinality(j 10) */
               hextoraw(j.id), j.partition_no, j.kind, hextoraw(j.subject_id), hextoraw(j.instance_id), j.reason, j.attempts, j.payload,
               to_timestamp(j.created_utc, v_form), to_timestamp(j.last_attempt_utc, v_form)
          from json_table(v_doc, '$.deadLettersAdded[*]' error on error columns (
              id               varchar2(32) path '$.id',
              partition_no     number(5)    path '$.partition',
              kind             number(5)    path '$.kind',
              subject_id       varchar2(32) path '$.subjectId',
              instance_id      varchar2(32) path '$.instanceId',
              reason           clob         path '$.reason',
              attempts         number(10)   path '$.attempts',
              payload          clob         path '$.payload',
              created_utc      varchar2(32) path '$.createdUtc',
              last_attempt_utc varchar2(32) path '$.lastAttemptUtc')) j;
        expect_written(sql%rowcount, v_head.dead_letters_added, 'new dead letters');
    end if;
    if v_head.dead_letters_changed > 0 then
        merge into dead_letters d
        using (
            select /*+ cardinality(j 10) */
                   hextoraw(j.id) as id, j.reason, j.attempts, to_timestamp(j.last_attempt_utc, v_form) as last_attempt_utc, j.applied
              from json_table(v_doc, '$.deadLettersChanged[*]' error on error columns (
                  id               varchar2(32) path '$.id',
                  reason           clob         path '$.reason',
                  attempts         number(10)   path '$.attempts',
                  last_attempt_utc varchar2(32) path '$.lastAttemptUtc',
                  applied          number(1)    path '$.applied')) j) u
           on (d.id = u.id)
         when matched then
            update set d.reason = u.reason, d.attempts = u.attempts, d.last_attempt_utc = u.last_attempt_utc, d.applied = u.applied,
                       d.replayed_utc = nvl2(u.applied, u.last_attempt_utc, null)
             where d.replayed_utc is null;
        expect_rows(sql%rowcount, v_head.dead_letters_changed, 'changed dead letters');
    end if;
    if v_head.request_keys > 0 then
        insert into idempotency_keys
               (request_key, request_hash, result_id, created_utc)
        select /*+ cardinality(j 10) */
               j.request_key, j.request_hash, hextoraw(j.result_id), to_timestamp(j.created_utc, v_form)
          from json_table(v_doc, '$.keys[*]' error on error columns (
              request_key  varchar2(512 char) path '$.key',
              request_hash varchar2(128 char) path '$.requestHash',
              result_id    varchar2(32)       path '$.resultId',
              created_utc  varchar2(32)       path '$.createdUtc')) j
         order by j.request_key;
        expect_written(sql%rowcount, v_head.request_keys, 'idempotency keys');
    end if;
    if v_head.events > 0 then
        insert into events
               (stream_no, sequence_no, event_type, definition, body, created_utc)
        select /*+ cardinality(j 10) */
               j.stream_no, j.sequence_no, j.event_type, j.definition, j.body, to_timestamp(j.created_utc, v_form)
          from json_table(v_doc, '$.events[*]' error on error columns (
              stream_no   number(10)         path '$.stream',
              sequence_no number(19)         path '$.sequence',
              event_type  varchar2(128 char) path '$.type',
              definition  varchar2(128 char) path '$.definition',
              body        clob               path '$.body',
              created_utc varchar2(32)       path '$.createdUtc')) j;
        expect_written(sql%rowcount, v_head.events, 'events');
    end if;

    commit write immediate wait;
exception
    when others then
        rollback;
        raise;
end;
