using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Bpmn;
using Workflow.Contracts;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>Which definitions are asked for, in the order of name and version.</summary>
/// <param name="Name">Of this name only; null: of any.</param>
/// <param name="After">
/// The last one of the page before: a definition registered meanwhile moves no other to another page.
/// </param>
internal sealed record DefinitionQuery(string? Name, (string Name, int Version)? After, int Limit)
{
    public bool Holds(DefinitionInfo definition) =>
        (Name is null || definition.Name == Name)
        && (After is not var (name, version)
            || string.CompareOrdinal(definition.Name, name) is var order
            && (order > 0 || (order == 0 && definition.Version > version)));

    /// <summary>The address of the page after the one that ends with this definition.</summary>
    public string Next(DefinitionInfo last)
    {
        var name = Name is null ? "" : $"name={Uri.EscapeDataString(Name)}&";
        return $"/definitions?{name}after={Uri.EscapeDataString($"{last.Name}/{last.Version}")}&limit={Limit}";
    }
}

/// <summary>
/// Which lines of a history are asked for. Lines are only ever added: a number stays that of its line.
/// </summary>
/// <param name="After">The number of the last line of the page before, from 1; 0 for the first page.</param>
internal readonly record struct HistoryQuery(int After, int Limit)
{
    public bool IsAll => After == 0 && Limit == int.MaxValue;
}

/// <summary>What requests carry outside their body.</summary>
internal static class RequestValues
{
    public const string IdempotencyKeyHeader = ContractsHttp.IdempotencyKeyHeader;

    /// <summary>The value of <c>match</c> with which a page takes texts as prefixes.</summary>
    public const string BeginsWith = "prefix";

    /// <summary>The most rows that a page of a list looks at for a filter that no index serves.</summary>
    public const int MostExamined = 10_000;

    private const int MaxKeyLength = 256;

    public static Guid InstanceId(string text) => Id(text, "an instance id", "the id that POST /instances answered");
    public static Guid TaskId(string text) => Id(text, "a task id", "an id that GET /tasks lists");
    public static Guid DeadLetterId(string text) =>
        Id(text, "the id of a dead letter", "an id that GET /dead-letters lists");

    public static int Version(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var version) && version > 0
            ? version
            : throw RequestProblems.BadVersion(text);

    /// <summary>The query parameter <c>version</c>; null when it is absent.</summary>
    public static int? OptionalVersion(IQueryCollection query) =>
        Text(query["version"]) is { } version ? Version(version) : null;

    /// <summary>The header <c>Idempotency-Key</c>; null when it is absent.</summary>
    public static string? IdempotencyKey(HttpRequest request)
    {
        if (!request.Headers.TryGetValue(IdempotencyKeyHeader, out var values))
        {
            return null;
        }

        return values is [{ Length: > 0 and <= MaxKeyLength } key]
            ? key
            : throw RequestProblems.BadHeader(IdempotencyKeyHeader, $"was given {values.Count} time(s) with "
                + $"{values.ToString().Length} characters. Send it once, with 1 to {MaxKeyLength} characters.");
    }

    /// <summary>The query of <c>GET /instances</c>.</summary>
    public static InstanceQuery Query(IQueryCollection query)
    {
        OnlyKnown(
            query, "definition", "state", "correlationKey", "startedFrom", "startedTo", "after", "limit",
            "definitionPrefix", "correlationKeyPrefix", "idPrefix");
        var (definitionPrefix, keyPrefix) = (Text(query["definitionPrefix"]), Text(query["correlationKeyPrefix"]));
        var key = Text(query["correlationKey"]);
        return new InstanceQuery
        {
            Definition = Text(query["definition"]),
            DefinitionPrefix = definitionPrefix,
            State = Word<InstanceState>("state", Text(query["state"])),
            CorrelationKey = key,
            CorrelationKeyPrefix = keyPrefix,
            IdPrefix = Text(query["idPrefix"]),
            MostExamined = (definitionPrefix ?? keyPrefix) is null || key is not null ? null : MostExamined,
            StartedFrom = Instant("startedFrom", Text(query["startedFrom"])),
            StartedTo = Instant("startedTo", Text(query["startedTo"])),
            After = OptionalId("after", Text(query["after"]), "an instance id, the 'next' of the page before"),
            Limit = Limit(Text(query["limit"]), new InstanceQuery().Limit),
        };
    }

    /// <summary>
    /// The query of the page of instances: the newest first, before an id if one is given. After an id, it is that of
    /// the instances next to it, oldest first. With <c>match=prefix</c>, definition and correlation key are prefixes.
    /// </summary>
    public static InstanceQuery NewestInstances(IQueryCollection query)
    {
        var isPrefix = Text(query["match"]) switch
        {
            null or "exactly" => false,
            BeginsWith => true,
            var other => throw RequestProblems.BadQuery("match", other, $"one of exactly, {BeginsWith}"),
        };
        var asked = Query(Given(query, "before", "match", "id"));
        return asked with
        {
            Definition = isPrefix ? null : asked.Definition,
            DefinitionPrefix = isPrefix ? asked.Definition : null,
            CorrelationKey = isPrefix ? null : asked.CorrelationKey,
            CorrelationKeyPrefix = isPrefix ? asked.CorrelationKey : null,
            IdPrefix = Text(query["id"])?.Trim(),
            Before = OptionalId("before", Text(query["before"]), "an instance id"),
            NewestFirst = asked.After is null,
        };
    }

    /// <summary>The query of the page of tasks, as <see cref="NewestInstances"/>.</summary>
    public static TaskQuery NewestTasks(IQueryCollection query)
    {
        var asked = Tasks(Given(query, "before"));
        return asked with
        {
            Before = OptionalId("before", Text(query["before"]), "a task id"), NewestFirst = asked.After is null,
        };
    }

    /// <summary>The query of the page of dead letters, as <see cref="NewestInstances"/>.</summary>
    public static DeadLetterQuery NewestDeadLetters(IQueryCollection query)
    {
        var asked = DeadLetters(Given(query, "before"));
        return asked with
        {
            Before = OptionalId("before", Text(query["before"]), "the id of a dead letter"),
            NewestFirst = asked.After is null,
        };
    }

    /// <summary>
    /// How a definition that was sent is read: the query of <c>POST /definitions</c> and the charset of the body.
    /// </summary>
    public static BpmnReading Reading(HttpRequest request, bool isBpmn)
    {
        OnlyKnown(request.Query, "unknown");
        var unknown = Word<UnknownContent>("unknown", Text(request.Query["unknown"])) ?? UnknownContent.Refuse;
        if (unknown == UnknownContent.Report && !isBpmn)
        {
            throw RequestProblems.BadQuery(
                "unknown", "report", "left out here: only of BPMN (application/xml) anything is passed over");
        }

        return new BpmnReading
        {
            Unknown = unknown,
            Charset = MediaTypeHeaderValue.TryParse(request.ContentType, out var type) && type.Charset.HasValue
                ? HeaderUtilities.RemoveQuotes(type.Charset).ToString() : null,
        };
    }

    /// <summary>The query of <c>GET /definitions</c>.</summary>
    public static DefinitionQuery Definitions(IQueryCollection query)
    {
        OnlyKnown(query, "name", "after", "limit");
        return new DefinitionQuery(
            Text(query["name"]),
            Text(query["after"]) is { } after ? DefinitionAfter(after) : null,
            Limit(Text(query["limit"]), int.MaxValue - 1));
    }

    /// <summary>The query of <c>GET /instances/{id}/history</c>.</summary>
    public static HistoryQuery History(IQueryCollection query)
    {
        OnlyKnown(query, "after", "limit");
        var after = 0;
        if (Text(query["after"]) is { } text
            && !int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out after))
        {
            throw RequestProblems.BadQuery(
                "after", text, "the number of a line, as the header Link of the page before has it");
        }

        return new(after, Limit(Text(query["limit"]), int.MaxValue));
    }

    private static (string Name, int Version) DefinitionAfter(string text)
    {
        var slash = text.LastIndexOf('/');
        return slash > 0
            && int.TryParse(text.AsSpan(slash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var version)
            ? (text[..slash], version)
            : throw RequestProblems.BadQuery(
                "after", text, "a name and a version, as the header Link of the page before has them");
    }

    /// <summary>The query of <c>GET /dead-letters</c>.</summary>
    public static DeadLetterQuery DeadLetters(IQueryCollection query)
    {
        OnlyKnown(query, "state", "kind", "instance", "after", "limit");
        return new DeadLetterQuery
        {
            Replayed = Text(query["state"]) switch
            {
                null or "open" => false,
                "replayed" => true,
                var other => throw RequestProblems.BadQuery("state", other, "one of open, replayed"),
            },
            Kind = Word<DeadLetterKind>("kind", Text(query["kind"])),
            InstanceId = OptionalId("instance", Text(query["instance"]), "an instance id"),
            After = OptionalId("after", Text(query["after"]), "the id of a dead letter, the 'next' of the page before"),
            Limit = Limit(Text(query["limit"]), new DeadLetterQuery().Limit),
        };
    }

    /// <summary>
    /// Where an event stream resumes: the header <c>Last-Event-ID</c>, else the query parameter; null: the next event.
    /// An empty one, which a browser sends that has seen no id, is none.
    /// </summary>
    public static EventPosition? Position(HttpRequest request)
    {
        var text = new[] { Text(request.Headers["Last-Event-ID"]), Text(request.Query["lastEventId"]) }
            .FirstOrDefault(given => !string.IsNullOrWhiteSpace(given));
        try
        {
            return text is null ? null : EventPosition.Parse(text);
        }
        catch (FormatException e)
        {
            throw RequestProblems.BadHeader(
                "Last-Event-ID (or the query parameter lastEventId)", "cannot be read: " + e.Message);
        }
    }

    /// <summary>The query of <c>GET /tasks</c>.</summary>
    public static TaskQuery Tasks(IQueryCollection query)
    {
        OnlyKnown(query, "assignee", "group", "state", "after", "limit");
        return new TaskQuery
        {
            Assignee = Text(query["assignee"]),
            Group = Text(query["group"]),
            State = Word<TaskState>("state", Text(query["state"])),
            After = OptionalId("after", Text(query["after"]), "a task id, the 'next' of the page before"),
            Limit = Limit(Text(query["limit"]), new TaskQuery().Limit),
        };
    }

    /// <summary>The parameters that have a value: a form sends those that were left empty, too.</summary>
    public static IQueryCollection Given(IQueryCollection query, params string[] except) => new QueryCollection(
        query.Where(one => one.Value.ToString().Length > 0
                && !except.Contains(one.Key, StringComparer.OrdinalIgnoreCase))
            .ToDictionary(StringComparer.OrdinalIgnoreCase));

    public static void OnlyKnown(IQueryCollection query, params string[] known)
    {
        foreach (var parameter in query.Keys)
        {
            if (!known.Contains(parameter, StringComparer.OrdinalIgnoreCase))
            {
                throw RequestProblems.UnknownQuery(parameter, string.Join(", ", known));
            }
        }
    }

    public static string? Text(StringValues values) => values.Count == 0 ? null : values.ToString();

    private static T? Word<T>(string parameter, string? text)
        where T : struct, Enum
    {
        if (text is null)
        {
            return null;
        }

        // Names only: TryParse would take numbers and lists as well.
        return text.All(char.IsAsciiLetter) && Enum.TryParse<T>(text, ignoreCase: true, out var value)
            ? value
            : throw RequestProblems.BadQuery(
                parameter, text,
                "one of " + string.Join(", ", Enum.GetNames<T>().Select(JsonNamingPolicy.CamelCase.ConvertName)));
    }

    private static Guid Id(string text, string what, string source) =>
        Guid.TryParseExact(text, "D", out var id) ? id : throw RequestProblems.MalformedId(text, what, source);

    private static Guid? OptionalId(string parameter, string? text, string wanted)
    {
        if (text is null)
        {
            return null;
        }

        return Guid.TryParseExact(text, "D", out var id) ? id : throw RequestProblems.BadQuery(parameter, text, wanted);
    }

    private static DateTimeOffset? Instant(string parameter, string? text)
    {
        if (text is null)
        {
            return null;
        }

        return IsoInstant.TryParse(text, out var instant, out _)
            ? instant
            : throw RequestProblems.BadQuery(parameter, StoreLimits.Excerpt(text, 40),
                "an instant such as 2026-01-31T12:00:00Z (in a URL, + is written %2B)");
    }

    private static int Limit(string? text, int otherwise)
    {
        if (text is null)
        {
            return otherwise;
        }

        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var limit)
            && limit is >= 1 and <= 1000
            ? limit
            : throw RequestProblems.BadQuery("limit", text, "a whole number from 1 to 1000");
    }
}
