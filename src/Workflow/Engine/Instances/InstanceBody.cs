namespace Workflow.Engine.Instances;

/// <summary>
/// The JSON of an instance's row: <c>v</c> variables, <c>w</c> waits or the tokens that a retry continues (<c>e</c> the
/// value of an ended wait, <c>o</c> the error that its path handles), <c>f</c> forks and sub-processes, <c>o</c>
/// output, <c>x</c> error, <c>h</c> number of history lines, <c>p</c> parent, <c>d</c> depth of calls, <c>n</c> number
/// of calls made, <c>t</c> trace context. The names are short because every commit writes them.
/// </summary>
internal sealed class InstanceBody
{
    /// <summary>Deeper than any row: a row that could not be read would prevent its whole lane from loading.</summary>
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

    /// <summary>
    /// The highest number of a scope that is open or that a retry may open again; 0 if there is none.
    /// </summary>
    public int LastScope => Math.Max(
        Scopes.Select(scope => scope.Id).DefaultIfEmpty().Max(),
        Waits.Select(wait => wait.Caught?.LastScope ?? 0).DefaultIfEmpty().Max());

    /// <summary>
    /// Whether the wait represents a token. A wait at the boundary of a sub-process does not: the tokens are inside.
    /// </summary>
    public bool IsOfToken(Wait wait) =>
        wait.Event == 0 || wait is EndedWait || !Scopes.Exists(s => s.Id == wait.Scope && s.Remaining > 0);

    public static void Write(Utf8JsonWriter writer, LiveInstance instance)
    {
        writer.WriteStartObject();
        writer.WritePropertyName("v"u8);
        Value.WriteMembers(writer, instance.Variables);
        WriteWaits(writer, instance.Waits, instance.Scopes);

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
        body.Waits.AddRange(ReadWaits(root));
        body.Scopes.AddRange(ReadScopes(root));

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

    private static void WriteWaits(Utf8JsonWriter writer, IReadOnlyList<Wait> waits, IReadOnlyList<ForkScope> scopes)
    {
        if (waits.Count > 0)
        {
            writer.WriteStartArray("w"u8);
            for (var i = 0; i < waits.Count; i++)
            {
                WriteWait(writer, waits[i]);
            }

            writer.WriteEndArray();
        }

        if (scopes.Count > 0)
        {
            writer.WriteStartArray("f"u8);
            for (var i = 0; i < scopes.Count; i++)
            {
                WriteScope(writer, scopes[i]);
            }

            writer.WriteEndArray();
        }
    }

    private static IEnumerable<Wait> ReadWaits(JsonElement holder) =>
        holder.TryGetProperty("w"u8, out var waits) ? waits.EnumerateArray().Select(ReadWait) : [];

    private static IEnumerable<ForkScope> ReadScopes(JsonElement holder) =>
        holder.TryGetProperty("f"u8, out var scopes) ? scopes.EnumerateArray().Select(ReadScope) : [];

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

            WriteError(writer, attempts.Error);
        }

        if (wait.Caught is { } caught)
        {
            writer.WriteStartObject("o"u8);
            writer.WriteString("s"u8, caught.Step);
            writer.WriteNumber("c"u8, caught.Scope);
            WriteWaits(writer, caught.Waits, caught.Scopes);
            writer.WriteEndObject();
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
        Attempts = element.TryGetProperty("t"u8, out var failed)
            ? new(failed.GetInt32(), OptionalTime(element, "r"), ReadError(element)!)
            : null,
        Caught = element.TryGetProperty("o"u8, out var caught) ? ReadCaught(caught) : null,
    };

    private static CaughtError ReadCaught(JsonElement caught) => CaughtError.Of(
        caught.GetProperty("s"u8).GetString()!, caught.GetProperty("c"u8).GetInt32(), [.. ReadWaits(caught)],
        [.. ReadScopes(caught)]);

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
