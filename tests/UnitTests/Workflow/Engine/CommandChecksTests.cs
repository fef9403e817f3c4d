using Workflow.Engine.Commands;
namespace UnitTests.Workflow.Engine;

public sealed class CommandChecksTests
{
    private const int MaxSize = 10_000;
    private static readonly Guid Instance = Guid.NewGuid();

    [Fact]
    public void Commands_at_their_limits_pass()
    {
        Check(new StartCommand
        {
            Definition = "d",
            CorrelationKey = new('k', 512),
            IdempotencyKey = new('i', 256),
            Input = Value.From(new Dictionary<string, Value> { ["a"] = Nested(49) }),
        });
        Check(
            new SignalCommand { Name = new('n', 128), CorrelationKey = "😀", Payload = Nested(50),
                DueAt = StoreLimits.LatestInstant });
        Check(new SignalCommand { Name = "go", InstanceId = Instance, Payload = Value.From("\0") });
    }

    [Theory]
    [InlineData(513, 1, "correlationKey", "513")]
    [InlineData(1, 257, "Idempotency-Key", "257")]
    [InlineData(0, 1, "correlationKey", "empty")]
    [InlineData(1, 0, "Idempotency-Key", "empty")]
    public void Keys_out_of_range_are_refused_by_name_and_length(
        int correlation, int idempotency, string parameter, string words)
    {
        var start = Assert.Throws<InvalidCommandException>(() => Check(
            new StartCommand
                { Definition = "d", CorrelationKey = new('k', correlation), IdempotencyKey = new('i', idempotency) }));
        var signal = Assert.Throws<InvalidCommandException>(() => Check(
            new SignalCommand
                { Name = "go", CorrelationKey = new('k', correlation), IdempotencyKey = new('i', idempotency) }));

        Assert.All([start, signal], e => Assert.Equal(parameter, e.Parameter));
        Assert.All([start, signal], e => Assert.Contains(words, e.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Text_that_no_store_keeps_is_refused()
    {
        // Not as data of a theory: attributes are stored as UTF-8, which has no half of a pair.
        foreach (var text in new[] { "a\0b", "\ud83d", "\ude00\ud83d", "a\ud83db" })
        {
            var error = Assert.Throws<InvalidCommandException>(() =>
                Check(new SignalCommand { Name = "go", CorrelationKey = text }));
            Assert.Equal("correlationKey", error.Parameter);
        }
    }

    [Fact]
    public void Signal_names_exactly_one_target()
    {
        Refused("name", new() { Name = "", CorrelationKey = "a" });
        Refused("name", new() { Name = new('n', 129), CorrelationKey = "a" });
        Refused("correlationKey", new() { Name = "go" });
        Refused("correlationKey", new() { Name = "go", CorrelationKey = "a", InstanceId = Instance });
        Refused("dueAt", new() { Name = "go", InstanceId = Instance, DueAt = DateTimeOffset.UnixEpoch });

        static void Refused(string parameter, SignalCommand command) =>
            Assert.Equal(parameter, Assert.Throws<InvalidCommandException>(() => Check(command)).Parameter);
    }

    [Fact]
    public void Values_that_cannot_be_read_back_are_refused()
    {
        var text = Assert.Throws<InvalidCommandException>(() =>
            Check(new StartCommand { Definition = "d", Input = Value.From(5) }));
        var half = Assert.Throws<InvalidCommandException>(() =>
            Check(Signal(Value.From([Value.From(new Dictionary<string, Value> { ["\ud800"] = Value.Null })]))));
        var deep = Assert.Throws<InvalidCommandException>(() => Check(Signal(Nested(51))));

        Assert.Contains("object", text.Message, StringComparison.Ordinal);
        Assert.Contains("surrogate", half.Message, StringComparison.Ordinal);
        Assert.Contains("51 levels", deep.Message, StringComparison.Ordinal);
        Assert.Equal(("input", "payload", "payload"), (text.Parameter, half.Parameter, deep.Parameter));

        static SignalCommand Signal(Value payload) => new() { Name = "go", CorrelationKey = "a", Payload = payload };
    }

    [Fact]
    public void Hash_distinguishes_requests_wherever_their_parts_are_cut()
    {
        Assert.Null(RequestHash.Of(null, "a"));
        Assert.Equal(RequestHash.Of("key", "a", "b", null), RequestHash.Of("other key", "a", "b", null));
        string?[] hashes = [RequestHash.Of("k", "a", "b"), RequestHash.Of("k", "ab", ""), RequestHash.Of(
            "k", "a", null, "b"), RequestHash.Of("k", "a|1:b"), RequestHash.Of("k", "", null),
            RequestHash.Of("k", null, "")];
        Assert.Equal(hashes.Length, hashes.Distinct().Count());
    }

    /// <summary>Keys of earlier builds hash JSON with escaped HTML and non-ASCII characters.</summary>
    [Theory]
    [InlineData("""{"name":"Zo\u00EB","id":1}"""), InlineData("""{"b":"\uD83D\uDC34","a":"\u003Cb\u003E"}""")]
    public void Key_stored_with_the_hash_of_escaped_text_matches(string stored)
    {
        var request = RequestHash.Of("k", Value.Parse(stored), "definition");

        Assert.True(RequestHash.Matches(RequestHash.Of("k", "definition", stored)!, request));
        Assert.True(RequestHash.Matches(RequestHash.Stored(request!), request));
        Assert.False(RequestHash.Matches(RequestHash.Of("k", "definition", stored + " ")!, request));
    }

    [Fact]
    public void Instant_that_no_store_keeps_is_refused()
    {
        var error = Assert.Throws<InvalidCommandException>(() =>
            Check(new SignalCommand { Name = "go", CorrelationKey = "a", DueAt = DateTimeOffset.MaxValue }));

        Assert.Equal("dueAt", error.Parameter);
        Assert.Equal("'dueAt' is 9999-12-31T23:59:59+00:00; the latest is 9000-01-01T00:00:00Z.", error.Message);
    }

    [Fact]
    public void Refusal_quotes_no_half_of_a_surrogate_pair()
    {
        // The pair stands where the quotation ends.
        var error = Assert.Throws<InvalidCommandException>(() =>
            Check(new StartCommand
                { Definition = "d", CorrelationKey = new string('k', 31) + "😀" + new string('k', 600) }));

        Assert.True(StoreLimits.IsText(error.Message), error.Message);
    }

    [Fact]
    public void Message_is_made_text_and_cut_between_characters()
    {
        Assert.Equal("a\ufffdb\ufffd😀\ufffd", StoreLimits.Message("a\0b\ude00😀\ud83d"));
        Assert.Equal("plain", StoreLimits.Message("plain"));
        Assert.Equal(new string('x', 3_999) + "…", StoreLimits.Message(new string('x', 3_999) + "😀 and more"));
    }

    [Fact]
    public void Value_larger_than_an_instance_is_refused_with_its_size()
    {
        var large = Value.From(new string('x', MaxSize));

        var error = Assert.Throws<InvalidCommandException>(() =>
            Check(new SignalCommand { Name = "go", CorrelationKey = "a", Payload = large }));

        Assert.Equal(("payload", $"'payload' has about {MaxSize + 2} characters as JSON; the limit is {MaxSize}."),
            (error.Parameter, error.Message));
    }

    private static void Check(StartCommand command) => CommandChecks.Check(command, MaxSize);
    private static void Check(SignalCommand command) => CommandChecks.Check(command, MaxSize);

    private static Value Nested(int depth) =>
        Enumerable.Range(0, depth).Aggregate(Value.From(1), (inner, _) => Value.From([inner]));
}
