using System.Buffers;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>
/// Walks the members of the one object of a body. A member that is unknown, or of another type, is a named error.
/// </summary>
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
                _json.TryGetInt32(out var number) && number > 0
                    ? number
                    : throw RequestProblems.WrongValue(member, Wanted, Raw()),
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
            JsonTokenType.String => IsoInstant.TryParse(_json.GetString()!, out var instant, out _)
                ? instant
                : throw RequestProblems.WrongValue(member, Wanted, StoreLimits.Excerpt(_json.GetString()!, 40)),
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

    /// <summary>1 to <paramref name="most"/> ids.</summary>
    public IReadOnlyList<Guid> Ids(string member, int most)
    {
        var wanted = $"a list of 1 to {most} ids";
        _json.Read();
        if (_json.TokenType != JsonTokenType.StartArray)
        {
            throw RequestProblems.WrongType(member, wanted, _json.TokenType);
        }

        var ids = new List<Guid>();
        while (_json.Read() && _json.TokenType != JsonTokenType.EndArray)
        {
            if (_json.TokenType != JsonTokenType.String)
            {
                throw RequestProblems.WrongType(member, wanted, _json.TokenType);
            }

            ids.Add(Guid.TryParseExact(_json.GetString(), "D", out var id) && ids.Count < most
                ? id
                : throw RequestProblems.WrongValue(member, wanted, StoreLimits.Excerpt(_json.GetString()!, 40)));
        }

        return ids.Count > 0 ? ids : throw RequestProblems.WrongValue(member, wanted, "[]");
    }

    public readonly T Required<T>(T? value, string member)
        where T : class =>
        value ?? throw RequestProblems.MissingMember(member, _known);

    private readonly string Raw() =>
        System.Text.Encoding.UTF8.GetString(_json.HasValueSequence ? _json.ValueSequence.ToArray() : _json.ValueSpan);
}
