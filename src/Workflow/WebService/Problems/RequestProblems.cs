using Foundation;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Requests;

namespace Workflow.WebService.Problems;

/// <summary>The errors of requests that never reach the engine.</summary>
internal static class RequestProblems
{
    public static Problem TooLarge(long? bodyBytes, long limitBytes) => new(
        413,
        "body-too-large",
        string.Create(CultureInfo.InvariantCulture, $"The body has "
            + $"{(bodyBytes is { } b ? $"{b}" : $"more than {limitBytes}")} bytes, the "
            + $"limit is {limitBytes}. Send less, or raise Limits:MaxBodyBytes."));

    public static Problem TooManyBodies(long limitBytes) => new(
        429,
        "overloaded",
        string.Create(CultureInfo.InvariantCulture,
            $"Bodies of more than {limitBytes} bytes are being received at once. Send fewer at a time, or raise "
                + $"Limits:MaxBodiesBytes."))
    {
        RetryAfter = TimeSpan.FromSeconds(1),
    };

    public static Problem WrongContentType(HttpRequest request)
    {
        var given = request.ContentType is { } type ? $"'{type}' is not supported" : "is missing";
        var bpmn = request.Path.StartsWithSegments("/definitions", StringComparison.OrdinalIgnoreCase)
            ? $", or for a BPMN file {string.Join(", ", RequestBody.Xml)}"
            : "";
        return new(
            415,
            "unsupported-media-type",
            $"The Content-Type {given}. Send the header Content-Type: {RequestBody.Json}{bpmn}.");
    }

    /// <param name="known">Those that are read.</param>
    public static Problem UnknownCoding(string coding, string known) => new(
        415,
        "unsupported-media-type",
        $"The Content-Encoding '{coding}' is not supported. Send the body unencoded, or with one of {known}.");

    public static Problem NotDecoded() => new(
        400,
        "request-invalid",
        "The body cannot be decoded: it does not match its Content-Encoding or is incomplete. Send the body unencoded, "
            + "or encode it again.");

    public static ProblemException NotJson(Exception exception)
    {
        var where = exception is JsonException { LineNumber: { } line, BytePositionInLine: { } position }
            ? $" at line {line + 1}, position {position + 1}"
            : "";
        return new(new Problem(400, "body-not-json", exception is NumberRangeException
            ? $"The body cannot be read: {exception.Message}"
            : $"The body is not valid JSON{where}: {JsonReason.Of(exception)} Send UTF-8 JSON."), exception);
    }

    /// <summary>Why the server took no more of a request.</summary>
    public static string Broken(int status) => status == StatusCodes.Status408RequestTimeout
        ? "The request came too slowly, or stopped. Send it again, over a better connection or in smaller parts."
        : "The request is incomplete or is not valid HTTP. Send it again with a body as long as its "
            + "Content-Length says.";

    public static ProblemException EmptyBody() =>
        new(new Problem(400, "body-not-json", "The body is empty. Send a JSON object."));

    public static ProblemException NotAnObject(JsonTokenType token) => new(
        new Problem(400, "body-invalid", $"The body is {NameOf(token)}. Send a JSON object."));

    public static ProblemException UnknownMember(string? member, string known) => new(
        new Problem(400, "body-invalid", $"The body has a member '{member}' that is not known. Known: {known}."));

    public static ProblemException MissingMember(string member, string known) => new(
        new Problem(400, "body-invalid", $"The body has no member '{member}', which is required. Known: {known}."));

    public static ProblemException WrongType(string member, string wanted, JsonTokenType token) => new(
        new Problem(400, "body-invalid", $"The member '{member}' is {NameOf(token)}. It must be {wanted}."));

    public static ProblemException WrongValue(string member, string wanted, string? value) => new(
        new Problem(400, "body-invalid", $"The member '{member}' is '{value}'. It must be {wanted}."));

    /// <param name="what">E.g. an instance id.</param>
    /// <param name="source">Where the caller has one from.</param>
    public static ProblemException MalformedId(string text, string what, string source) => new(
        new Problem(
            400, "malformed-id", $"'{text}' is not {what}. Use {source}, e.g. 01890a5d-ac96-774b-bcce-b302099a8057."));

    public static ProblemException BadVersion(string text) => new(
        new Problem(
            400, "malformed-version",
            $"'{text}' is not a version. Use a whole number from 1; GET /definitions lists those that exist."));

    public static ProblemException BadQuery(string parameter, string? value, string wanted) => new(
        new Problem(400, "query-invalid", $"The query parameter '{parameter}' is '{value}'. It must be {wanted}."));

    public static ProblemException UnknownQuery(string parameter, string known) => new(
        new Problem(400, "query-invalid", $"The query parameter '{parameter}' is not known here. Known: {known}."));

    public static ProblemException BadHeader(string header, string detail) => new(
        new Problem(400, "header-invalid", $"The header {header} {detail}"));

    private static string NameOf(JsonTokenType token) => token switch
    {
        JsonTokenType.StartObject => "an object",
        JsonTokenType.StartArray => "an array",
        JsonTokenType.String => "a string",
        JsonTokenType.Number => "a number",
        JsonTokenType.True or JsonTokenType.False => "a boolean",
        _ => "null",
    };
}
