using LoadTesting.Core.Reporting;

namespace LoadTesting.Tool;

/// <summary>Escapes text that would act on the terminal.</summary>
internal sealed class VisibleWriter(TextWriter terminal) : TextWriter(CultureInfo.InvariantCulture)
{
    public override Encoding Encoding => terminal.Encoding;

    public override void Write(char value) =>
        terminal.Write(char.IsSurrogate(value) ? $"{value}" : VisibleText.Of($"{value}"));

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Write(string? value) => terminal.Write(VisibleText.Of(value ?? ""));

    public override void WriteLine(string? value) => terminal.WriteLine(VisibleText.Of(value ?? ""));

    public override Task WriteAsync(string? value) => terminal.WriteAsync(VisibleText.Of(value ?? ""));

    public override Task WriteLineAsync(string? value) => terminal.WriteLineAsync(VisibleText.Of(value ?? ""));

    public override void Flush() => terminal.Flush();
}
