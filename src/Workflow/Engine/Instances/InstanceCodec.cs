namespace Workflow.Engine.Instances;

internal static class InstanceCodec
{
    public static InstanceRow ToRow(LiveInstance instance, JsonBuffer json)
    {
        var row = new InstanceRow
        {
            Id = instance.Id,
            Partition = instance.Partition,
            Definition = instance.Definition.Name,
            DefinitionVersion = instance.Definition.Version,
            Revision = instance.Revision,
            State = instance.State,
            CorrelationKey = instance.CorrelationKey,
            Body = json.WriteText(instance, InstanceBody.Write),
            History = instance.TakeHistory(),
            CreatedUtc = instance.CreatedUtc,
            UpdatedUtc = instance.UpdatedUtc,
        };
        return row;
    }

    public static LiveInstance ToInstance(InstanceRow row, WorkflowDefinition definition) => ToInstance(
        row.Id, row.Partition, definition, row.CorrelationKey, row.CreatedUtc,
        new(row.Body, row.State, row.Revision, row.UpdatedUtc));

    /// <summary>Recreates the last committed state of an instance.</summary>
    /// <param name="changed">An instance that some commit holds.</param>
    public static LiveInstance ToCommitted(LiveInstance changed) => ToInstance(
        changed.Id, changed.Partition, changed.Definition, changed.CorrelationKey, changed.CreatedUtc,
        changed.Committed!.Value);

    private static LiveInstance ToInstance(
        Guid id, short partition, WorkflowDefinition definition, string? key, DateTimeOffset created,
        CommittedInstance committed)
    {
        var body = InstanceBody.Parse(committed.Body);
        return new LiveInstance
        {
            Id = id,
            Partition = partition,
            Definition = definition,
            CorrelationKey = key,
            ParentId = body.ParentId,
            Depth = body.Depth,
            Children = body.Children,
            CreatedUtc = created,
            Trace = body.Trace,
            UpdatedUtc = committed.UpdatedUtc,
            Variables = new(body.Variables, StringComparer.Ordinal),
            Revision = committed.Revision,
            State = committed.State,
            Waits = body.Waits,
            Scopes = body.Scopes,
            LastScope = body.LastScope,
            Output = body.Output,
            Error = body.Error,
            HistoryLines = body.HistoryLines,
            Committed = committed,
        };
    }

    public static InstanceView ToView(InstanceRow row) => ToView(row, InstanceBody.Parse(row.Body));

    public static InstanceView ToView(InstanceRow row, InstanceBody body)
    {
        return new InstanceView
        {
            Id = row.Id,
            Definition = row.Definition,
            Version = row.DefinitionVersion,
            CorrelationKey = row.CorrelationKey,
            ParentId = body.ParentId,
            State = row.State,
            Variables = Value.From(body.Variables).ToJsonElement(),
            Waits = row.State == InstanceState.Failed ? [] : [.. body.Waits.Select(ToView)],
            Tokens = row.State != InstanceState.Failed || body.Waits.Count == 0
                ? null
                :
                [
                    .. body.Waits.Where(body.IsOfToken)
                        .Select(w => new InstanceToken(w.Step, w.Scope, w.Attempts?.Failed)),
                ],
            Output = body.Output.IsNull ? null : body.Output.ToJsonElement(),
            Error = body.Error,
            CreatedUtc = row.CreatedUtc,
            UpdatedUtc = row.UpdatedUtc,
        };
    }

    private static InstanceWait ToView(Wait wait) => new(
        wait.Step, NameOf(wait.Kind), wait.Name, wait.Key, wait.DueUtc, wait.Attempts?.Failed, wait.Attempts?.NextUtc,
        wait.Kind is WaitKind.Task or WaitKind.Call ? wait.Id : null, wait is EndedWait ? true : null,
        LastErrorOf(wait));

    private static WaitError? LastErrorOf(Wait wait) => wait switch
    {
        EndedWait { Error: { } error } => new(error.Message, wait.Attempts?.Failed, error.Code),
        { Attempts: { } attempts } => new(attempts.Error.Message, attempts.Failed, attempts.Error.Code),
        _ => null,
    };

    private static string NameOf(WaitKind kind) => kind switch
    {
        WaitKind.Signal => "signal",
        WaitKind.Delay => "delay",
        WaitKind.Task => "task",
        WaitKind.Call => "call",
        WaitKind.CallEach => "callEach",
        _ => "activity",
    };
}
