using System.Buffers;
using System.Text.Encodings.Web;

namespace Workflow.Engine.Flush;

/// <summary>Writes JSON into a reusable buffer. For one thread at a time.</summary>
internal sealed class JsonBuffer
{
    private readonly ArrayBufferWriter<byte> _buffer = new(1_024);
    private readonly Utf8JsonWriter _writer;

    public JsonBuffer() => _writer = new Utf8JsonWriter(_buffer, new JsonWriterOptions
    {
        SkipValidation = true,

        // The JSON is never embedded in markup, so characters of markup need no escape of six characters.
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });

    public string WriteText<T>(T value, Action<Utf8JsonWriter, T> write) =>
        Encoding.UTF8.GetString(Write(value, write));

    /// <summary>Returns the JSON as UTF-8. Valid until the next call.</summary>
    public ReadOnlySpan<byte> Write<T>(T value, Action<Utf8JsonWriter, T> write)
    {
        _buffer.ResetWrittenCount();
        _writer.Reset();
        write(_writer, value);
        _writer.Flush();
        return _buffer.WrittenSpan;
    }
}
