using System.Buffers;
using Workflow.Abstractions;
using Workflow.WebService.Endpoints;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>The bodies of the routes that carry the load, read straight into the engine's commands.</summary>
internal static class CommandBodies
{
    /// <summary>Body of <c>POST /instances</c>.</summary>
    public static StartCommand Start(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        string? definition = null, correlationKey = null;
        int? version = null;
        var input = Value.Null;
        var members = new MemberReader(b, "definition, version, input, correlationKey");
        while (members.Next())
        {
            if (members.Is("definition"u8))
            {
                definition = members.Text("definition");
            }
            else if (members.Is("input"u8))
            {
                input = members.OptionalObject("input");
            }
            else if (members.Is("correlationKey"u8))
            {
                correlationKey = members.OptionalText("correlationKey");
            }
            else
            {
                version = members.Is("version"u8) ? members.OptionalVersion("version") : throw members.Unknown();
            }
        }

        return new StartCommand { Definition = members.Required(
            definition, "definition"), Version = version, Input = input, CorrelationKey = correlationKey };
    });

    /// <summary>Body of <c>POST /signals</c>.</summary>
    public static SignalCommand Signal(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        string? name = null, correlationKey = null;
        DateTimeOffset? dueAt = null;
        var payload = Value.Null;
        var members = new MemberReader(b, "name, correlationKey, payload, dueAt");
        while (members.Next())
        {
            if (members.Is("name"u8))
            {
                name = members.Text("name");
            }
            else if (members.Is("correlationKey"u8))
            {
                correlationKey = members.Text("correlationKey");
            }
            else if (members.Is("payload"u8))
            {
                payload = members.Any();
            }
            else
            {
                dueAt = members.Is("dueAt"u8) ? members.OptionalInstant("dueAt") : throw members.Unknown();
            }
        }

        return new SignalCommand
        {
            Name = members.Required(name, "name"),
            CorrelationKey = members.Required(correlationKey, "correlationKey"),
            Payload = payload,
            DueAt = dueAt,
        };
    });

    /// <summary>Body of <c>POST /instances/{id}/signals</c>.</summary>
    public static SignalCommand InstanceSignal(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        string? name = null;
        var payload = Value.Null;
        var members = new MemberReader(b, "name, payload");
        while (members.Next())
        {
            if (members.Is("name"u8))
            {
                name = members.Text("name");
            }
            else
            {
                payload = members.Is("payload"u8) ? members.Any() : throw members.Unknown();
            }
        }

        return new SignalCommand { Name = members.Required(name, "name"), Payload = payload };
    });

    /// <summary>Body of <c>POST /tasks/{id}/complete</c>: the output.</summary>
    public static Value TaskOutput(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        var output = Value.Null;
        var members = new MemberReader(b, "output");
        while (members.Next())
        {
            output = members.Is("output"u8) ? members.Any() : throw members.Unknown();
        }

        return output;
    });

    /// <summary>Body of <c>POST /instances/{id}/retry</c>, without the id of the instance.</summary>
    public static RetryCommand Retry(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        var variables = Value.Null;
        string? step = null;
        var members = new MemberReader(b, "variables, step");
        while (members.Next())
        {
            if (members.Is("variables"u8))
            {
                variables = members.OptionalObject("variables");
            }
            else
            {
                step = members.Is("step"u8) ? members.OptionalText("step") : throw members.Unknown();
            }
        }

        return new RetryCommand { InstanceId = Guid.Empty, Variables = variables, Step = step };
    });

    /// <summary>Body of <c>POST /tasks/{id}/assign</c>: the assignee.</summary>
    public static string Assignee(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        string? assignee = null;
        var members = new MemberReader(b, "assignee");
        while (members.Next())
        {
            assignee = members.Is("assignee"u8) ? members.Text("assignee") : throw members.Unknown();
        }

        return members.Required(assignee, "assignee");
    });

    /// <summary>Body of the routes that act on many: the ids.</summary>
    public static IReadOnlyList<Guid> Ids(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        IReadOnlyList<Guid>? ids = null;
        var members = new MemberReader(b, "ids");
        while (members.Next())
        {
            ids = members.Is("ids"u8) ? members.Ids("ids", BulkActions.MostIds) : throw members.Unknown();
        }

        return members.Required(ids, "ids");
    });

    /// <summary>
    /// A definition is read by the engine; here it is only made sure that it is JSON, to name line and position if not.
    /// </summary>
    public static ReadOnlyMemory<byte> Definition(ReadOnlySequence<byte> body) =>
        Guarded<ReadOnlyMemory<byte>>(body, static b =>
        {
            if (b.IsEmpty)
            {
                throw RequestProblems.EmptyBody();
            }

            var bytes = b.ToArray();
            var json = new Utf8JsonReader(bytes);
            while (json.Read())
            {
                // Every text is decoded once, because the reader itself does not look into strings.
                _ = json.TokenType is JsonTokenType.String or JsonTokenType.PropertyName ? json.GetString() : null;
            }

            return bytes;
        });

    /// <summary>The reader reports a text that is not valid UTF-8 or UTF-16 as an invalid operation.</summary>
    private static T Guarded<T>(ReadOnlySequence<byte> body, Func<ReadOnlySequence<byte>, T> parse)
    {
        try
        {
            return parse(body);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            throw RequestProblems.NotJson(e);
        }
    }
}
