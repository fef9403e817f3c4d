using System.Buffers;
using Workflow.Abstractions.Building;
using Workflow.Abstractions.Expressions;

namespace UnitTests.Workflow.Expressions;

/// <summary>Numbers that a decimal holds are kept; others are refused by name, and none becomes another.</summary>
public sealed class ExactNumberTests
{
    [Theory]
    [InlineData("0", "0"), InlineData("-0", "0"), InlineData("0e-99999999999999999999", "0"),
        InlineData("0e99999999999999999999", "0")]
    [InlineData("1e-28", "0.0000000000000000000000000001")]
    [InlineData("-79228162514264337593543950335", "-79228162514264337593543950335")]
    [InlineData("7.9228162514264337593543950335E+28", "79228162514264337593543950335")]
    [InlineData("79228162514264337593543950335.000", "79228162514264337593543950335")]
    [InlineData("0.5000000000000000000000000000000000000000", "0.5")]
    [InlineData("123456789012345678901234567e-20", "1234567.89012345678901234567")]
    [InlineData("30000000000000000000000000000000e-31", "3")]
    [InlineData("0.00000000000000000000000000000000012e33", "0.12")]
    [InlineData("0.30000000000000004", "0.30000000000000004")]
    public void Number_that_a_decimal_holds_is_kept(string number, string expected)
    {
        using var document = JsonDocument.Parse(number);

        Assert.Equal(expected, Value.TextOf(Value.From(document.RootElement).AsNumber()));
        Assert.Equal(expected, Value.TextOf(Read(number).AsNumber()));
        Assert.Equal(Value.Parse(number), Numbers.Parse(Value.From(number)));
    }

    [Theory]
    [InlineData("6.62607015e-34"), InlineData("1e-29"), InlineData("-1e-400"), InlineData("1e-99999999999999999999")]
    [InlineData("79228162514264337593543950336"), InlineData("79228162514264337593543950335.4"), InlineData("1e29"),
        InlineData("1e400")]
    [InlineData("0.12345678901234567890123456789"), InlineData("3.1415926535897932384626433832795"),
        InlineData("1.2345678901234567e-13")]
    public void Number_that_a_decimal_does_not_hold_is_refused_by_name(string number)
    {
        using var document = JsonDocument.Parse(number);

        Assert.Contains(number, Assert.Throws<NumberRangeException>(() => Value.From(document.RootElement)).Message,
            StringComparison.Ordinal);
        Assert.Equal(number, Assert.Throws<NumberRangeException>(() => Read($"[{number}]")).Number);
        Assert.True(Numbers.Parse(Value.From(number)).IsNull);
    }

    /// <summary>A reader over several segments has no single span.</summary>
    [Fact]
    public void Number_in_pieces_is_read_whole()
    {
        Assert.Equal("1e-29", Assert.Throws<NumberRangeException>(() => ReadInPieces("1e-29 ")).Number);
        Assert.Equal(Value.From(1.5m), ReadInPieces("1.5 "));
    }

    [Fact]
    public void Constant_of_code_is_exact_or_refused()
    {
        Assert.Equal("0.30000000000000004", ExpressionText.Literal(0.1 + 0.2));
        Assert.Contains(
            "6.62607015E-34", Assert.Throws<ArgumentException>(() => ExpressionText.Literal(6.62607015e-34)).Message,
            StringComparison.Ordinal);
    }

    private static Value Read(string json)
    {
        var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(json));
        reader.Read();
        return Value.Read(ref reader);
    }

    private static Value ReadInPieces(string json)
    {
        var last = new Piece(Encoding.UTF8.GetBytes(json[2..]), null, 2);
        var reader = new Utf8JsonReader(
            new ReadOnlySequence<byte>(
                new Piece(Encoding.UTF8.GetBytes(json[..2]), last, 0), 0, last, json.Length - 2));
        reader.Read();
        return Value.Read(ref reader);
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(byte[] bytes, Piece? next, long index) => (Memory, Next, RunningIndex) = (bytes, next, index);
    }
}
