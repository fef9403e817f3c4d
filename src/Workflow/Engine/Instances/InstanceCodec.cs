namespace Workflow.Engine.Instances;

/// <summary>Writes instances to rows and reads them back.</summary>
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
        row.Id, row.Partition, definition, row.CorrelationKey, row.CreatedUtc, new(row.Body, row.State, row.Revision, row.UpdatedUtc));

    /// <summary>The instance as it was last committed.</summary>
    /// <param name="changed">One that some commit holds.</param>
    public static LiveInstance ToCommitted(LiveInstance changed) => ToInstance(
        changed.Id, changed.Partition, changed.Definition, changed.CorrelationKey, changed.CreatedUtc, changed.Committed!.Value);

    private static LiveInstance ToInstance(
        Guid id, short partition, WorkflowDefinition definition, string? key, DateTimeOffset created, CommittedInstance committed)
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
            LastScope = body.Scopes.Count == 0 ? 0 : body.Scopes.Max(s => s.Id),
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
            Tokens = row.State != InstanceState.Failed || body.Waits.Count == 0 ? null
                : [.. body.Waits.Where(body.IsOfToken).Select(w => new InstanceToken(w.Step, w.Scope, w.Attempts?.Failed))],
            Output = body.Output.IsNull ? null : body.Output.ToJsonElement(),
            Error = body.Error,
            CreatedUtc = row.CreatedUtc,
            UpdatedUtc = row.UpdatedUtc,
        };
    }

    private static InstanceWait ToView(Wait wait) => new(
        wait.Step, Word(wait.Kind), wait.Name, wait.Key, wait.DueUtc, wait.Attempts?.Failed, wait.Attempts?.NextUtc,
        wait.Kind is WaitKind.Task or WaitKind.Call ? wait.Id : null, wait is EndedWait ? true : null);

    private static string Word(WaitKind kind) => kind switch
    {
        WaitKind.Signal => "signal",
        WaitKind.Delay => "delay",
        WaitKind.Task => "task",
        WaitKind.Call => "call",
        WaitKind.CallEach => "callEach",
        _ => "activity",
    };
}

/// <summary>
/// The JSON of an instance's row: <c>v</c> variables, <c>w</c> waits, which of a failed instance a retry goes on with (in one that has
/// ended <c>e</c> what it brought), <c>f</c> forks and sub-processes, <c>o</c> output, <c>x</c> incident, <c>h</c> history lines written,
/// <c>p</c> parent, <c>d</c> calls above, <c>n</c> calls made, <c>t</c> trace context. Short names, because every commit writes them.
/// </summary>
internal sealed class InstanceBody
{
    /// <summary>More than any row has: one that could not be read would keep its whole lane from being loaded.</summary>
    private static readonly JsonDocumentOptions Deep = new() { MaxDepth = 1_024 };

    public IReadOnlyDictionary<string, Value> Variables { get; private set; } = new Dictionary<string, Value>();
    public List<Wait> Waits { get; } = [];
    public List<ForkScope> Scopes { get; } = [];
    public Value Output { get; private set; }
    public InstanceError? Error { get; private set; }
    public int HistoryLines { get; private set; }
    public Guid? ParentId { get; private set; }
    public int Depth { get; private set; }
    public int Children { get; private set; }
    public string? Trace { get; private set; }

    /// <summary>Whether a token goes on where the wait does: not at the boundary of a sub-process, whose tokens are inside.</summary>
    public bool IsOfToken(Wait wait) => wait.Event == 0 || wait is EndedWait || !Scopes.Exists(s => s.Id == wait.Scope && s.Remaining > 0);

    public static void Write(Utf8JsonWriter writer, LiveInstance instance)
    {
        writer.WriteStartObject();
        writer.WritePropertyName("v"u8);
        Value.WriteMembers(writer, instance.Variables);
        if (instance.Waits.Count > 0)
        {
            writer.WriteStartArray("w"u8);
            foreach (var wait in instance.Waits)
            {
                WriteWait(writer, wait);
            }

            writer.WriteEndArray();
        }

        if (instance.Scopes.Count > 0)
        {
            writer.WriteStartArray("f"u8);
            foreach (var scope in instance.Scopes)
            {
                WriteScope(writer, scope);
            }

            writer.WriteEndArray();
        }

        if (!instance.Output.IsNull)
        {
            writer.WritePropertyName("o"u8);
            instance.Output.WriteTo(writer);
        }

        if (instance.Error is { } error)
        {
            WriteError(writer, error);
        }

        writer.WriteNumber("h"u8, instance.HistoryLines);
        if (instance.ParentId is { } parent)
        {
            writer.WriteString("p"u8, parent);
            writer.WriteNumber("d"u8, instance.Depth);
        }

        if (instance.Children > 0)
        {
            writer.WriteNumber("n"u8, instance.Children);
        }

        WriteOptional(writer, "t"u8, instance.Trace);
        writer.WriteEndObject();
    }

    public static InstanceBody Parse(string json)
    {
        using var document = JsonDocument.Parse(json, Deep);
        var root = document.RootElement;
        var body = new InstanceBody
        {
            Variables = Value.From(root.GetProperty("v"u8)).AsContext(),
            HistoryLines = root.GetProperty("h"u8).GetInt32(),
            Trace = Optional(root, "t"),
            Error = ReadError(root),
        };
        if (root.TryGetProperty("w"u8, out var waits))
        {
            body.Waits.AddRange(waits.EnumerateArray().Select(ReadWait));
        }

        if (root.TryGetProperty("f"u8, out var scopes))
        {
            body.Scopes.AddRange(scopes.EnumerateArray().Select(ReadScope));
        }

        if (root.TryGetProperty("o"u8, out var output))
        {
            body.Output = Value.From(output);
        }

        if (root.TryGetProperty("p"u8, out var parent))
        {
            body.ParentId = parent.GetGuid();
            body.Depth = root.GetProperty("d"u8).GetInt32();
        }

        if (root.TryGetProperty("n"u8, out var children))
        {
            body.Children = children.GetInt32();
        }

        return body;
    }

    private static void WriteWait(Utf8JsonWriter writer, Wait wait)
    {
        writer.WriteStartObject();
        writer.WriteString("i"u8, wait.Id);
        writer.WriteString("s"u8, wait.Step);
        writer.WriteNumber("k"u8, (int)wait.Kind);
        writer.WriteNumber("c"u8, wait.Scope);
        if (wait.Event != 0)
        {
            writer.WriteNumber("b"u8, wait.Event);
        }

        WriteOptional(writer, "n"u8, wait.Name);
        WriteOptional(writer, "y"u8, wait.Key);
        writer.WriteNumber("p"u8, wait.Position);
        if (wait.DueUtc is { } due)
        {
            writer.WriteNumber("d"u8, due.UtcTicks);
        }

        if (!wait.Input.IsNull)
        {
            writer.WritePropertyName("a"u8);
            wait.Input.WriteTo(writer);
        }

        if (wait.Attempts is { } attempts)
        {
            writer.WriteNumber("t"u8, attempts.Failed);
            if (attempts.NextUtc is { } next)
            {
                writer.WriteNumber("r"u8, next.UtcTicks);
            }
        }

        if (wait is EndedWait ended)
        {
            writer.WriteStartObject("e"u8);
            writer.WritePropertyName("v"u8);
            ended.Value.WriteTo(writer);
            if (ended.Error is { } error)
            {
                WriteError(writer, error);
            }

            writer.WriteEndObject();
        }

        writer.WriteEndObject();
    }

    private static void WriteError(Utf8JsonWriter writer, InstanceError error)
    {
        writer.WriteStartObject("x"u8);
        writer.WriteString("m"u8, error.Message);
        WriteOptional(writer, "s"u8, error.Step);
        WriteOptional(writer, "e"u8, error.Expression);
        WriteOptional(writer, "c"u8, error.Code);
        writer.WriteEndObject();
    }

    private static InstanceError? ReadError(JsonElement holder) => holder.TryGetProperty("x"u8, out var error)
        ? new(error.GetProperty("m"u8).GetString()!, Optional(error, "s"), Optional(error, "e"), Optional(error, "c"))
        : null;

    private static Wait ReadWait(JsonElement element)
    {
        var wait = ReadOpenWait(element);
        return element.TryGetProperty("e"u8, out var ended)
            ? new EndedWait(wait, Value.From(ended.GetProperty("v"u8)), ReadError(ended))
            : wait;
    }

    private static Wait ReadOpenWait(JsonElement element) => new()
    {
        Id = element.GetProperty("i"u8).GetGuid(),
        Step = element.GetProperty("s"u8).GetString()!,
        Kind = (WaitKind)element.GetProperty("k"u8).GetInt32(),
        Scope = element.GetProperty("c"u8).GetInt32(),
        Event = element.TryGetProperty("b"u8, out var number) ? number.GetByte() : (byte)0,
        Name = Optional(element, "n"),
        Key = Optional(element, "y"),
        Position = element.GetProperty("p"u8).GetInt64(),
        DueUtc = OptionalTime(element, "d"),
        Input = element.TryGetProperty("a"u8, out var input) ? Value.From(input) : Value.Null,
        Attempts = element.TryGetProperty("t"u8, out var failed) ? new(failed.GetInt32(), OptionalTime(element, "r")) : null,
    };

    private static void WriteScope(Utf8JsonWriter writer, ForkScope scope)
    {
        writer.WriteStartObject();
        writer.WriteNumber("i"u8, scope.Id);
        writer.WriteNumber("p"u8, scope.Parent);
        writer.WriteString("j"u8, scope.Join);
        writer.WriteNumber("r"u8, scope.Remaining);
        writer.WriteNumber("a"u8, scope.Arrived);
        writer.WriteEndObject();
    }

    private static ForkScope ReadScope(JsonElement element) => new()
    {
        Id = element.GetProperty("i"u8).GetInt32(),
        Parent = element.GetProperty("p"u8).GetInt32(),
        Join = element.GetProperty("j"u8).GetString()!,
        Remaining = element.GetProperty("r"u8).GetInt32(),
        Arrived = element.GetProperty("a"u8).GetInt32(),
    };

    private static void WriteOptional(Utf8JsonWriter writer, ReadOnlySpan<byte> name, string? value)
    {
        if (value is not null)
        {
            writer.WriteString(name, value);
        }
    }

    private static DateTimeOffset? OptionalTime(JsonElement element, string name) =>
        element.TryGetProperty(name, out var ticks) ? new DateTimeOffset(ticks.GetInt64(), TimeSpan.Zero) : null;

    private static string? Optional(JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.GetString() : null;
}
