using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Load;

/// <summary>Interpolated text in the invariant culture.</summary>
internal static class Invariant
{
    public static string Text(ref InvariantText text) => text.ToStringAndClear();
}

[InterpolatedStringHandler]
internal ref struct InvariantText(int literalLength, int formattedCount)
{
    private DefaultInterpolatedStringHandler _text = new(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => _text.AppendLiteral(value);

    public void AppendFormatted<T>(T value, string? format = null) => _text.AppendFormatted(value, format);

    public string ToStringAndClear() => _text.ToStringAndClear();
}
