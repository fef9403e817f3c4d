using System.Buffers;
using System.Text;
using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;

namespace Workflow.Engine.Execution;

/// <summary>Writes instances to rows and reads them back. One per lane: the buffer is reused.</summary>
internal sealed class InstanceCodec
{
    private readonly ArrayBufferWriter<byte> _buffer = new(1_024);
    private readonly Utf8JsonWriter _writer;

    public InstanceCodec() => _writer = new Utf8JsonWriter(_buffer, new JsonWriterOptions { SkipValidation = true });

    public InstanceRow ToRow(LiveInstance instance)
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
            Body = WriteBody(instance),
            History = instance.History.ToString(),
            CreatedUtc = instance.CreatedUtc,
            UpdatedUtc = instance.UpdatedUtc,
        };
        instance.History.Clear();
        return row;
    }

    public static LiveInstance ToInstance(InstanceRow row, WorkflowDefinition definition)
    {
        var body = InstanceBody.Parse(row.Body);
        return new LiveInstance
        {
            Id = row.Id,
            Partition = row.Partition,
            Definition = definition,
            CorrelationKey = row.CorrelationKey,
            ParentId = body.ParentId,
            Depth = body.Depth,
            Children = body.Children,
            CreatedUtc = row.CreatedUtc,
            UpdatedUtc = row.UpdatedUtc,
            Variables = new(body.Variables, StringComparer.Ordinal),
            Revision = row.Revision,
            State = row.State,
            Waits = body.Waits,
            Scopes = body.Scopes,
            LastScope = body.Scopes.Count == 0 ? 0 : body.Scopes.Max(s => s.Id),
            Output = body.Output,
            Error = body.Error,
            HistoryLines = body.HistoryLines,
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
            Waits = [.. body.Waits.Select(ToView)],
            Output = body.Output.IsNull ? null : body.Output.ToJsonElement(),
            Error = body.Error,
            CreatedUtc = row.CreatedUtc,
            UpdatedUtc = row.UpdatedUtc,
        };
    }

    private static InstanceWait ToView(Wait wait) => new(
        wait.Step, Word(wait.Kind), wait.Name, wait.Key, wait.DueUtc, wait.Attempts?.Failed, wait.Attempts?.NextUtc, wait.Kind is WaitKind.Task or WaitKind.Call ? wait.Id : null);

    private static string Word(WaitKind kind) => kind switch
    {
        WaitKind.Signal => "signal",
        WaitKind.Delay => "delay",
        WaitKind.Task => "task",
        WaitKind.Call => "call",
        _ => "activity",
    };

    private string WriteBody(LiveInstance instance)
    {
        _buffer.ResetWrittenCount();
        _writer.Reset();
        InstanceBody.Write(_writer, instance);
        _writer.Flush();
        return Encoding.UTF8.GetString(_buffer.WrittenSpan);
    }
}
