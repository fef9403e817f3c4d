namespace UnitTests.Foundation;

public sealed class BackoffTests
{
    private readonly ManualTime _time = new();
    private readonly List<double> _pauses = [];

    [Fact]
    public async Task Pauses_double_up_to_the_longest_until_success()
    {
        var backoff = new Backoff(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(500), _time);

        await PauseAsync(backoff, times: 5);
        backoff.Reset();
        await PauseAsync(backoff, times: 2);

        Assert.Equal([100, 200, 400, 500, 500, 100, 200], _pauses);
    }

    [Fact]
    public async Task Pause_is_cut_to_what_is_left_and_grows_all_the_same()
    {
        var backoff = new Backoff(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(500), _time, factor: 1.5);

        await PauseAsync(backoff, times: 1, atMost: TimeSpan.FromMilliseconds(5));

        Assert.Equal([5], _pauses);
        Assert.Equal(TimeSpan.FromMilliseconds(30), backoff.Next);
    }

    [Fact]
    public void First_pause_is_no_longer_than_the_longest() =>
        Assert.Equal(TimeSpan.FromMilliseconds(50),
            new Backoff(TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(50), _time).Next);

    private async Task PauseAsync(Backoff backoff, int times, TimeSpan? atMost = null)
    {
        for (var i = 0; i < times; i++)
        {
            var since = _time.GetUtcNow();
            var pause = atMost is { } limit ? backoff.PauseAsync(limit, Cancel) : backoff.PauseAsync(Cancel);
            while (!pause.IsCompleted)
            {
                _time.Advance(TimeSpan.FromMilliseconds(5));
            }

            await pause;
            _pauses.Add((_time.GetUtcNow() - since).TotalMilliseconds);
        }
    }
}
