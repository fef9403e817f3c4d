using System.Buffers;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.Extensions.Primitives;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Ui;

/// <summary>The fields of a form that was sent.</summary>
internal sealed class Form(Dictionary<string, StringValues> fields, IReadOnlyDictionary<string, byte[]>? files = null)
{
    public const string MediaType = "application/x-www-form-urlencoded";

    /// <summary>The media type of a form with files.</summary>
    public const string MultipartMediaType = "multipart/form-data";

    /// <summary>The text of a field; null where it is empty or missing.</summary>
    public string? this[string field] =>
        fields.GetValueOrDefault(field).ToString() is { Length: > 0 } text ? text : null;

    /// <summary>A form that is sent twice, by a double click or a reload, has one effect.</summary>
    public string? IdempotencyKey => this["once"];

    /// <summary>The hidden field behind <see cref="IdempotencyKey"/>.</summary>
    public static Html Once => Html.Of($"<input type=\"hidden\" name=\"once\" value=\"{Guid.NewGuid()}\">");

    /// <summary>A field for a value as JSON, with the entered text if the form was refused.</summary>
    public static Html JsonField(HttpContext context, string name, string label) => Html.Of($"""
        <p><label for="{name}">{label}</label>
        <textarea id="{name}" name="{name}" rows="5" spellcheck="false">
        {RefusedForm.Of(context)?.Form[name]}</textarea></p>
        """);

    /// <summary>A field for a line of text, with the entered text if the form was refused.</summary>
    /// <param name="value">The text of the field otherwise.</param>
    public static Html TextField(
        HttpContext context, string name, string label, int longest, bool isRequired = true, string? value = null) =>
        Html.Of($"""
            <p><label for="{name}">{label}</label>
            <input id="{name}" name="{name}"{Html.If(isRequired, $" required")} maxlength="{longest}" value="{
                (RefusedForm.Of(context) is { } refused ? refused.Form[name] : null) ?? value}"></p>
            """);

    public static Form Parse(ReadOnlySequence<byte> body) =>
        new(QueryHelpers.ParseQuery(Encoding.UTF8.GetString(body)));

    /// <summary>Reads a form with files, which is held in memory as a whole.</summary>
    public static async Task<Form> ReadMultipartAsync(HttpRequest request, byte[] body)
    {
        request.Body = new MemoryStream(body);
        IFormCollection form;
        try
        {
            form = await request.ReadFormAsync(CancellationToken.None);
        }
        catch (Exception e) when (e is InvalidDataException or IOException)
        {
            throw new ProblemException(
                new Problem(StatusCodes.Status400BadRequest, "body-invalid",
                    "The form cannot be read as multipart/form-data. Send it from the page again."), e);
        }

        var files = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        foreach (var file in form.Files.Where(file => file.Length > 0))
        {
            var content = new byte[file.Length];
            await using var stream = file.OpenReadStream();
            await stream.ReadExactlyAsync(content, CancellationToken.None);
            files[file.Name] = content;
        }

        return new Form(form.ToDictionary(StringComparer.Ordinal), files);
    }

    /// <summary>The bytes of a file; null where none was chosen or it is empty.</summary>
    public byte[]? File(string field) => files?.GetValueOrDefault(field);

    /// <summary>A required text.</summary>
    public string Required(string field, string label) => this[field] ?? throw new ProblemException(new Problem(
        StatusCodes.Status400BadRequest, "field-missing", $"The field '{label}' is empty, and it is required."));

    /// <summary>A value that was entered as JSON; null where nothing was.</summary>
    public Value Json(string field, string label, bool isObject = false)
    {
        var text = this[field];
        if (string.IsNullOrWhiteSpace(text))
        {
            return Value.Null;
        }

        Value value;
        try
        {
            value = Value.Parse(text);
        }
        catch (NumberRangeException e)
        {
            throw new ProblemException(
                new Problem(StatusCodes.Status400BadRequest, "field-invalid",
                    $"The field '{label}' cannot be kept: {e.Message}"), e);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            var where = e is JsonException { LineNumber: { } line, BytePositionInLine: { } position }
                ? $" at line {line + 1}, position {position + 1}" : "";
            throw NotValid(label, $"is not JSON{where}: {Page.Cut(text, 200)}", e);
        }

        return isObject && value.Kind is not (ValueKind.Null or ValueKind.Context)
            ? throw NotValid(label, $"is no JSON object: {Page.Cut(text, 200)}", null)
            : value;
    }

    private static ProblemException NotValid(string label, string what, Exception? inner) => new(new Problem(
        StatusCodes.Status400BadRequest, "field-invalid",
        $"The field '{label}' {what}. Write JSON, e.g. {{\"ok\": true}}."), inner);
}
