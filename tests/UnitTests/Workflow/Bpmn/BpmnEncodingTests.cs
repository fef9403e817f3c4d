using Workflow.Bpmn;

namespace UnitTests.Workflow.Bpmn;

/// <summary>A file is read in the encoding that it has, or not at all.</summary>
public sealed class BpmnEncodingTests
{
    [Theory]
    [InlineData("windows-1252", "Prüfung – 5 €"), InlineData("iso-8859-1", "Prüfung"),
        InlineData("ISO-8859-2", "Příjem žádosti")]
    [InlineData("iso-8859-5", "Заказ"), InlineData("ISO-8859-15", "5 €"), InlineData("windows-1251", "Заказ"),
        InlineData("KOI8-R", "Заказ")]
    [InlineData("Shift_JIS", "注文を確認"), InlineData("EUC-JP", "注文を確認"), InlineData("ISO-2022-JP", "注文を確認")]
    [InlineData("GB18030", "订单"), InlineData("Big5", "訂單"), InlineData("EUC-KR", "주문"),
        InlineData("utf-8", "Prüfung 订单"), InlineData("US-ASCII", "Order")]
    public void File_is_read_in_the_encoding_of_its_declaration(string encoding, string title) =>
        Assert.Equal(title, TitleOf(Encoded(Find(encoding), File(encoding, title))));

    [Theory]
    [InlineData("utf-8", "windows-1252"), InlineData("utf-8", "utf-16"), InlineData("utf-8", null),
        InlineData("utf-16", "UTF-16"), InlineData("utf-16", null)]
    [InlineData("utf-16", "windows-1252"), InlineData("utf-16BE", "UTF-16"), InlineData("utf-32", "UTF-32"),
        InlineData("utf-32BE", null)]
    public void Byte_order_mark_counts_before_the_declaration(string encoding, string? declared) =>
        Assert.Equal("Prüfung",
            TitleOf([.. Find(encoding).GetPreamble(), .. Encoded(Find(encoding), File(declared, "Prüfung"))]));

    [Theory]
    [InlineData("utf-16", "UTF-16"), InlineData("utf-16", "utf-16le"), InlineData("utf-16BE", "UTF-16"),
        InlineData("utf-32", "UTF-32"), InlineData("utf-16", null)]
    public void Wide_characters_are_known_without_a_mark(string encoding, string? declared) =>
        Assert.Equal("Prüfung", TitleOf(Encoded(Find(encoding), File(declared, "Prüfung"))));

    [Theory]
    [InlineData("utf-8", "windows-1252"), InlineData("utf-8", "utf-16"), InlineData("Shift_JIS", null),
        InlineData("windows-1251", "utf-8")]
    public void Charset_of_the_sender_counts_before_the_declaration(string charset, string? declared) =>
        Assert.Equal("Заказ", TitleOf(Encoded(Find(charset), File(declared, "Заказ")), charset));

    [Theory]
    [InlineData("windows-1252", "utf-8", "are no character", 2),
        InlineData("windows-1252", null, "are no character", 2)]
    [InlineData("utf-8", "us-ascii", "are no character", 2),
        InlineData("windows-1252", "Shift_JIS", "are no character", 2)]
    [InlineData("utf-8", "utf-16", "one byte for each", 1), InlineData("utf-8", "UTF-32", "one byte for each", 1)]
    [InlineData("utf-8", "utf-7", "encoding 'utf-7'", 1), InlineData("utf-8", "klingon", "encoding 'klingon'", 1)]
    public void File_that_is_not_in_its_encoding_is_refused(string encoding, string? declared, string reason, int line)
    {
        var bytes = Encoded(Find(encoding), File(declared, "Übü"));

        var finding = Assert.Single(
            Assert.Throws<BpmnInvalidException>(() => BpmnImporter.Import(bytes, cancellationToken: Cancel)).Findings);

        Assert.Contains(reason, finding.Message, StringComparison.Ordinal);
        Assert.Equal(line, finding.Line);
    }

    [Theory]
    [InlineData("windows-1252"), InlineData("utf-16"), InlineData("Shift_JIS"), InlineData("utf-32")]
    public void Document_type_is_refused_in_every_encoding(string encoding)
    {
        var text = $"<?xml version=\"1.0\" encoding=\"{encoding}\"?><!DOCTYPE d [<!ENTITY a \"ha\">]><d>&a;</d>";

        var thrown = Assert.Throws<BpmnInvalidException>(
            () => BpmnImporter.Import(Encoded(Find(encoding), text), cancellationToken: Cancel));

        Assert.Contains("<!DOCTYPE", Assert.Single(thrown.Findings).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Limits_hold_in_every_encoding()
    {
        var deep = Encoded(Find("utf-16"),
            "<?xml version=\"1.0\" encoding=\"utf-16\"?>" + new StringBuilder().Insert(0, "<a>", 1_000));
        var large = Encoded(Find("utf-32"), File("utf-32", new string('x', BpmnImporter.MaxBytes / 4)));

        Assert.Contains("deeper than 64", Refusal(deep), StringComparison.Ordinal);
        Assert.Contains("bytes; at most", Refusal(large), StringComparison.Ordinal);
    }

    private static string Refusal(byte[] xml) =>
        Assert.Throws<BpmnInvalidException>(
            () => BpmnImporter.Import(xml, cancellationToken: Cancel)).Findings[0].Message;

    private static Encoding Find(string name) =>
        CodePagesEncodingProvider.Instance.GetEncoding(name) ?? Encoding.GetEncoding(name);

    private static byte[] Encoded(Encoding encoding, string text) => encoding.GetBytes(text);

    private static string File(string? encoding, string title) =>
        (encoding is null ? "" : $"<?xml version=\"1.0\" encoding=\"{encoding}\"?>") + $"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
        <process id="p" name="{title}" isExecutable="true"><startEvent id="s" /><endEvent id="e" />{BpmnText.Flows("s>e")}</process></definitions>
        """;

    private static string TitleOf(byte[] xml, string? charset = null) => JsonNode.Parse(Assert.Single(
        BpmnImporter.Import(xml, new BpmnReading { Charset = charset }, Cancel).Definitions).Json)!["title"]!
        .ToString();
}
