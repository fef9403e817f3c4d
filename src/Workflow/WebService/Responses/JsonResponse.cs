using System.Buffers;
using System.Text.Encodings.Web;
using Workflow.Contracts;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;

namespace Workflow.WebService.Responses;

/// <summary>Writes JSON answers with a length, from buffers that are kept per thread.</summary>
internal static class JsonResponse
{
    public const string ContentType = "application/json; charset=utf-8";

    // What a rare large answer needs is given back instead of being kept by every thread.
    private const int KeptBytes = 64 * 1024;

    private static readonly string[] States = Enum.GetNames<InstanceState>()
        .Select(JsonNamingPolicy.CamelCase.ConvertName).ToArray();
    private static readonly JsonWriterOptions WriterOptions =
        new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    [ThreadStatic]
    private static ArrayBufferWriter<byte>? _buffer;

    [ThreadStatic]
    private static Utf8JsonWriter? _writer;

    public static Task StartedAsync(HttpContext context, InstanceStarted started)
    {
        context.Response.Headers.Location = $"/instances/{started.Id}";
        return WriteAsync(context, StatusCodes.Status201Created, started, WriteStarted);
    }

    public static Task AcceptedAsync(HttpContext context, SignalAccepted accepted) =>
        WriteAsync(context, StatusCodes.Status202Accepted, accepted, WriteAccepted);

    public static Task OkAsync<T>(HttpContext context, T value) => WriteAsync(context, StatusCodes.Status200OK, value);

    /// <summary>Any shape of the contracts; by reflection, so not for the routes that carry the load.</summary>
    public static Task WriteAsync<T>(HttpContext context, int status, T value) =>
        WriteAsync(
            context, status, value, static (json, v) => JsonSerializer.Serialize(json, v, ContractsJson.Default));

    public static Task WriteAsync<T>(
        HttpContext context, int status, T value, Action<Utf8JsonWriter, T> write, string contentType = ContentType)
    {
        var buffer = _buffer ??= new ArrayBufferWriter<byte>(512);
        var writer = _writer ??= new Utf8JsonWriter(buffer, WriterOptions);
        buffer.ResetWrittenCount();
        writer.Reset(buffer);
        write(writer, value);
        writer.Flush();
        if (buffer.Capacity > KeptBytes)
        {
            _buffer = null;
        }

        return WriteBytesAsync(context, status, contentType, buffer.WrittenMemory);
    }

    public static Task WriteTextAsync(HttpContext context, int status, string contentType, string text) =>
        WriteBytesAsync(context, status, contentType, System.Text.Encoding.UTF8.GetBytes(text));

    private static Task WriteBytesAsync(HttpContext context, int status, string contentType, ReadOnlyMemory<byte> bytes)
    {
        var response = context.Response;
        response.StatusCode = status;
        response.ContentType = contentType;
        response.ContentLength = bytes.Length;

        // The server copies the bytes before this call returns, so the thread's buffer is free again; nothing here
        // registers OnStarting, which would defer that.
        var written = response.BodyWriter.WriteAsync(bytes);
        return written.IsCompletedSuccessfully ? Task.CompletedTask : written.AsTask();
    }

    private static void WriteStarted(Utf8JsonWriter json, InstanceStarted started)
    {
        json.WriteStartObject();
        json.WriteString("id"u8, started.Id);
        json.WriteString("definition"u8, started.Definition);
        json.WriteNumber("version"u8, started.Version);
        json.WriteString("state"u8, States[(int)started.State]);
        json.WriteBoolean("duplicate"u8, started.Duplicate);
        json.WriteEndObject();
    }

    private static void WriteAccepted(Utf8JsonWriter json, SignalAccepted accepted)
    {
        json.WriteStartObject();
        json.WriteString("id"u8, accepted.Id);
        json.WriteBoolean("delivered"u8, accepted.Delivered);
        if (accepted.Kept is { } kept)
        {
            json.WriteBoolean("kept"u8, kept);
        }

        if (accepted.KeptUntil is { } until)
        {
            json.WriteString("keptUntil"u8, until);
        }

        json.WriteBoolean("duplicate"u8, accepted.Duplicate);
        if (accepted.DeadLetterId is { } letter)
        {
            json.WriteString("deadLetterId"u8, letter);
        }

        if (accepted.Unreceived is { } unreceived)
        {
            json.WriteBoolean("unreceived"u8, unreceived);
        }

        json.WriteEndObject();
    }
}
