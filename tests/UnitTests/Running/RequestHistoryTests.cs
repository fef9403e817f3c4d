using IntegrationTests.Shared.Faults;

namespace UnitTests.Running;

public sealed class RequestHistoryTests
{
    private const string Key = "k";
    private static readonly Guid s_instance = new(1, 0, 0, new byte[8]);
    private static readonly Guid s_other = new(2, 0, 0, new byte[8]);
    private static readonly ListedInstance s_listed = new(s_instance, Key, IsCompleted: true);
    private static readonly RecordedCompletion s_completion = new("0-1", s_instance, Key, [1, 2], Received: 100);

    [Fact]
    public void Sound_history_breaks_nothing()
    {
        var history = Requests();

        // A delivery that is repeated, and an answer that was lost, are allowed.
        Assert.Empty(history.Violations([s_listed], [s_completion, s_completion with { Received = 120 }]));
    }

    [Theory]
    [InlineData("a start that is gone", "there is nothing")]
    [InlineData("a start that has not ended", "IsCompleted = False")]
    [InlineData("a start with two instances", "there are")]
    [InlineData("another instance than acknowledged", "there are")]
    [InlineData("no completion", "completed 0 times")]
    [InlineData("two completions", "completed 2 times")]
    [InlineData("a signal that is gone", "took signals 1 of 1, 2")]
    [InlineData("a signal that was taken twice", "took signals 1, 2, 2 of 1, 2")]
    [InlineData("an effect before its cause", "completed before k/2")]
    [InlineData("an instance that nobody started", "Nobody started")]
    [InlineData("a completion that nobody started", "Nobody started")]
    public void Each_broken_promise_is_found(string planted, string expected)
    {
        ListedInstance[] listed = planted switch
        {
            "a start that is gone" => [],
            "a start that has not ended" => [s_listed with { IsCompleted = false }],
            "a start with two instances" => [s_listed, s_listed with { Id = s_other }],
            "another instance than acknowledged" => [s_listed with { Id = s_other }],
            "an instance that nobody started" => [s_listed, new(s_other, "x", IsCompleted: true)],
            _ => [s_listed],
        };
        RecordedCompletion[] completions = planted switch
        {
            "no completion" => [],
            "two completions" => [s_completion, s_completion with { EventId = "0-2" }],
            "a signal that is gone" => [s_completion with { Taken = [1] }],
            "a signal that was taken twice" => [s_completion with { Taken = [1, 2, 2] }],
            "an effect before its cause" => [s_completion with { Received = 25 }],
            "a completion that nobody started" => [s_completion, s_completion with { EventId = "0-2", Key = "x" }],
            _ => [s_completion],
        };

        Assert.Contains(expected, Assert.Single(Requests().Violations(listed, completions)), StringComparison.Ordinal);
    }

    [Fact]
    public void Request_without_an_answer_and_answers_that_differ_are_found()
    {
        Assert.Contains(
            Requests(second: [Attempt(30, id: null)]).Violations([s_listed], [s_completion]),
            violation => violation.StartsWith("It was never acknowledged: k/2", StringComparison.Ordinal));
        Assert.Contains(
            Requests(second: [Attempt(30, s_instance), Attempt(40, s_other)]).Violations([s_listed], [s_completion]),
            violation => violation.StartsWith("Answers to one key differ: k/2", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, 1, 1, true)]
    [InlineData(1, 1, 1, false)]
    [InlineData(0, 0, 0, false)]
    [InlineData(0, 1, 2, false)]
    [InlineData(0, 7, 7, false)]
    public void Order_is_required_only_within_one_undisturbed_node(int node, int calm, int nextCalm, bool isFound)
    {
        const int Disturbed = 7;
        var history = Requests(
            [Attempt(10, s_other) with { Calm = calm }], [Attempt(30, s_other) with { Node = node, Calm = nextCalm }]);
        history.Disturbed.Add(Disturbed);

        var violations = history.Violations([s_listed], [s_completion with { Taken = [2, 1] }]);

        Assert.Equal(isFound ? 1 : 0, violations.Count);
        Assert.All(
            violations, violation => Assert.Matches("took k/2 \\(node 0: .*\\) before k/1 \\(node 0: ", violation));
    }

    /// <summary>A start, and two signals of which the second was repeated.</summary>
    private static RequestHistory Requests(RecordedAttempt[]? first = null, RecordedAttempt[]? second = null)
    {
        var history = new RequestHistory();
        Add(0, Attempt(0, s_instance));
        Add(1, first ?? [Attempt(10, s_other)]);
        Add(2, second ?? [Attempt(30, id: null), Attempt(40, s_other)]);
        return history;

        void Add(int number, params RecordedAttempt[] attempts)
        {
            var request = history.Begin(Key, number);
            foreach (var attempt in attempts)
            {
                request.Add(attempt);
            }
        }
    }

    private static RecordedAttempt Attempt(long sent, Guid? id) => new(Node: 0, Calm: 1, sent, sent + 5, id);
}
