using System.Runtime.InteropServices;

namespace Workflow.Abstractions;

/// <summary>
/// Reads numbers as decimals that have exactly the value that is written. The conversions of the library round what has
/// too many digits, down to zero.
/// </summary>
internal static class ExactNumber
{
    private const NumberStyles Style =
        NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    /// <summary>A number of so many characters without an exponent is held whatever its digits are.</summary>
    private const int AlwaysHeld = 28;

    private const int MostDecimals = 28;
    private const int MostDigits = 29;
    private static readonly UInt128 Greatest = (UInt128.One << 96) - 1;

    /// <summary>Why a number is refused.</summary>
    /// <param name="remedy">What to do, e.g. <c>send it as a text</c>.</param>
    public static string Problem(string number, string remedy) =>
        $"The number {StoreLimits.Excerpt(number, 80)} is outside the range of a "
        + $"decimal, which holds 28 digits (up to about 7.9E28) and 28 decimals exactly; {remedy}.";

    /// <summary>Reads the number at the reader's present token.</summary>
    /// <returns>False where a decimal does not hold it.</returns>
    public static bool TryRead(ref Utf8JsonReader reader, out decimal number)
    {
        var length = reader.HasValueSequence ? reader.ValueSequence.Length : reader.ValueSpan.Length;
        return reader.TryGetDecimal(out number)
            && ((length <= AlwaysHeld && !reader.HasValueSequence
                && !reader.ValueSpan.ContainsAny((byte)'e', (byte)'E'))
                || IsExact(number, TextOf(ref reader)));
    }

    /// <returns>False where a decimal does not hold the number.</returns>
    public static bool TryRead(JsonElement element, out decimal number)
    {
        if (!element.TryGetDecimal(out number))
        {
            return false;
        }

        var text = JsonMarshal.GetRawUtf8Value(element);
        return (text.Length <= AlwaysHeld && !text.ContainsAny((byte)'e', (byte)'E'))
            || IsExact(number, Encoding.ASCII.GetString(text));
    }

    /// <summary>The number at the reader's present token, as it is written.</summary>
    public static string TextOf(ref Utf8JsonReader reader) =>
        reader.HasValueSequence
            ? Encoding.ASCII.GetString(reader.ValueSequence)
            : Encoding.ASCII.GetString(reader.ValueSpan);

    /// <returns>False where the text is no number, or a decimal does not hold it.</returns>
    public static bool TryParse(string text, out decimal number) =>
        decimal.TryParse(text, Style, CultureInfo.InvariantCulture, out number)
        && ((text.Length <= AlwaysHeld && !text.AsSpan().ContainsAny('e', 'E')) || IsExact(number, text));

    private static bool IsExact(decimal number, string text) => TryParseDigits(text, out var exact) && exact == number;

    private static bool TryParseDigits(string text, out decimal number)
    {
        number = 0;
        var mantissa = UInt128.Zero;
        var (digits, zeros, exponent) = (0L, 0L, 0L);
        var isFraction = false;
        var end = text.AsSpan().IndexOfAny('e', 'E');
        foreach (var c in end < 0 ? text : text.AsSpan(0, end))
        {
            if (!char.IsAsciiDigit(c))
            {
                isFraction |= c == '.';
                continue;
            }

            exponent -= isFraction ? 1 : 0;
            if (c == '0')
            {
                // Zeros count once another digit follows.
                zeros += digits > 0 ? 1 : 0;
                continue;
            }

            digits += zeros + 1;
            if (digits > MostDigits)
            {
                return false;
            }

            for (; zeros >= 0; zeros--)
            {
                mantissa *= 10u;
            }

            mantissa += (UInt128)(c - '0');
            zeros = 0;
        }

        return digits == 0 || TryScale(mantissa, zeros + exponent + ExponentOf(text, end), text[0] == '-', out number);
    }

    private static bool TryScale(UInt128 mantissa, long exponent, bool isNegative, out decimal number)
    {
        number = 0;
        for (; exponent > 0 && mantissa <= Greatest; exponent--)
        {
            mantissa *= 10u;
        }

        if (mantissa > Greatest || exponent < -MostDecimals)
        {
            return false;
        }

        number = new(
            (int)(uint)(mantissa & uint.MaxValue), (int)(uint)((mantissa >> 32) & uint.MaxValue),
            (int)(uint)(mantissa >> 64), isNegative,
            (byte)-exponent);
        return true;
    }

    /// <summary>An exponent of more digits than those of a long is as far outside as the greatest one.</summary>
    private static long ExponentOf(string text, int e)
    {
        if (e < 0)
        {
            return 0;
        }

        if (int.TryParse(
            text.AsSpan(e + 1), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var exponent))
        {
            return exponent;
        }

        return text[e + 1] == '-' ? int.MinValue : int.MaxValue;
    }
}
