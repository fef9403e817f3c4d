using System.Buffers;
using Workflow.Abstractions;
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

    /// <summary>Body of <c>POST /instances/{id}/retry</c>: the variables.</summary>
    public static Value RetryVariables(ReadOnlySequence<byte> body) => Guarded(body, static b =>
    {
        var variables = Value.Null;
        var members = new MemberReader(b, "variables");
        while (members.Next())
        {
            variables = members.Is("variables"u8) ? members.OptionalObject("variables") : throw members.Unknown();
        }

        return variables;
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

    /// <summary>A definition is read by the engine; here it is only made sure that it is JSON, to name line and position if not.</summary>
    public static ReadOnlyMemory<byte> Definition(ReadOnlySequence<byte> body) => Guarded<ReadOnlyMemory<byte>>(body, static b =>
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

/// <summary>Walks the members of the one object of a body. A member that is unknown, or of another type, is a named error.</summary>
internal ref struct MemberReader
{
    private readonly string _known;
    private Utf8JsonReader _json;

    public MemberReader(ReadOnlySequence<byte> body, string known)
    {
        _known = known;
        _json = body.IsSingleSegment ? new Utf8JsonReader(body.FirstSpan) : new Utf8JsonReader(body);
        if (body.IsEmpty)
        {
            throw RequestProblems.EmptyBody();
        }

        _json.Read();
        if (_json.TokenType != JsonTokenType.StartObject)
        {
            throw RequestProblems.NotAnObject(_json.TokenType);
        }
    }

    /// <summary>Goes to the next member's name; false at the end of the body.</summary>
    public bool Next()
    {
        _json.Read();
        if (_json.TokenType == JsonTokenType.PropertyName)
        {
            return true;
        }

        // Whatever follows the object makes the body no JSON; the reader says so.
        _json.Read();
        return false;
    }

    public readonly bool Is(ReadOnlySpan<byte> member) => _json.ValueTextEquals(member);
    public readonly ProblemException Unknown() => RequestProblems.UnknownMember(_json.GetString(), _known);

    /// <summary>A required text.</summary>
    public string Text(string member)
    {
        _json.Read();
        return _json.TokenType == JsonTokenType.String
            ? _json.GetString()!
            : throw RequestProblems.WrongType(member, "a string", _json.TokenType);
    }

    public string? OptionalText(string member)
    {
        _json.Read();
        return _json.TokenType is JsonTokenType.String or JsonTokenType.Null
            ? _json.GetString()
            : throw RequestProblems.WrongType(member, "a string", _json.TokenType);
    }

    public int? OptionalVersion(string member)
    {
        const string Wanted = "a whole number from 1";
        _json.Read();
        return _json.TokenType switch
        {
            JsonTokenType.Null => null,
            JsonTokenType.Number =>
                _json.TryGetInt32(out var number) && number > 0 ? number : throw RequestProblems.WrongValue(member, Wanted, Raw()),
            _ => throw RequestProblems.WrongType(member, Wanted, _json.TokenType),
        };
    }

    public DateTimeOffset? OptionalInstant(string member)
    {
        const string Wanted = "an instant in ISO 8601 with Z or an offset, e.g. 2026-03-17T10:15:30Z";
        _json.Read();
        return _json.TokenType switch
        {
            JsonTokenType.Null => null,
            JsonTokenType.String =>
                TryInstant(out var instant) ? instant : throw RequestProblems.WrongValue(member, Wanted, _json.GetString()),
            _ => throw RequestProblems.WrongType(member, Wanted, _json.TokenType),
        };
    }

    public Value Any()
    {
        _json.Read();
        return Value.Read(ref _json);
    }

    public Value OptionalObject(string member)
    {
        _json.Read();
        return _json.TokenType is JsonTokenType.StartObject or JsonTokenType.Null
            ? Value.Read(ref _json)
            : throw RequestProblems.WrongType(member, "an object", _json.TokenType);
    }

    public readonly string Required(string? value, string member) => value ?? throw RequestProblems.MissingMember(member, _known);

    /// <summary>Without an offset an instant would mean the time zone of whoever reads it.</summary>
    private readonly bool TryInstant(out DateTimeOffset instant)
    {
        instant = default;
        return _json.TryGetDateTime(out var dateTime) && dateTime.Kind != DateTimeKind.Unspecified
            && _json.TryGetDateTimeOffset(out instant);
    }

    private readonly string Raw() =>
        System.Text.Encoding.UTF8.GetString(_json.HasValueSequence ? _json.ValueSequence.ToArray() : _json.ValueSpan);
}
