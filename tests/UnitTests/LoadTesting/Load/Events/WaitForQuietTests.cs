using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Events;

public sealed class WaitForQuietTests : IDisposable
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private readonly ManualTime _time = new();
    private readonly EventAwaiter _awaiter;

    public WaitForQuietTests() => _awaiter = new EventAwaiter(timeProvider: _time);

    public void Dispose() => _awaiter.Dispose();

    [Fact]
    public async Task Without_an_open_wait_it_is_quiet_at_once() =>
        Assert.True(await _awaiter.WaitForQuietAsync(TimeSpan.Zero, TimeSpan.Zero + s_deadline, Cancel));

    [Fact]
    public async Task The_event_of_the_last_open_wait_ends_it_without_time_passing()
    {
        _awaiter.Register("done", "1", TimeSpan.FromMinutes(1));
        _awaiter.Register("done", "2", TimeSpan.FromMinutes(1));
        var quiet = _awaiter.WaitForQuietAsync(TimeSpan.Zero, s_deadline, Cancel);

        _awaiter.Observe("done", "1");
        Assert.False(quiet.IsCompleted);
        _awaiter.Observe("done", "2");

        Assert.True(await quiet.WaitAsync(s_deadline, Cancel));
    }

    [Fact]
    public async Task Event_within_the_quiet_time_extends_it()
    {
        var quiet = _awaiter.WaitForQuietAsync(TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1), Cancel);
        _time.Advance(TimeSpan.FromMilliseconds(900));
        _awaiter.Observe("done", "straggler");

        _time.Advance(TimeSpan.FromMilliseconds(900));
        Assert.False(quiet.IsCompleted);

        // The waiter re-arms on the pool; time passes in small steps until it has.
        await _time.AdvanceUntilAsync(quiet, TimeSpan.FromMilliseconds(100));
        Assert.True(await quiet);
    }

    [Fact]
    public async Task Open_wait_past_the_timeout_is_not_quiet()
    {
        _awaiter.Register("done", "1", TimeSpan.FromMinutes(1));

        var quiet = _awaiter.WaitForQuietAsync(TimeSpan.Zero, TimeSpan.FromSeconds(5), Cancel);
        _time.Advance(TimeSpan.FromSeconds(6));

        Assert.False(await quiet.WaitAsync(s_deadline, Cancel));
    }

    [Fact]
    public async Task A_lost_or_withdrawn_wait_is_no_longer_waited_for()
    {
        _awaiter.Register("done", "lost", TimeSpan.FromSeconds(1));
        var withdrawn = _awaiter.Register("done", "withdrawn", TimeSpan.FromMinutes(1));
        var quiet = _awaiter.WaitForQuietAsync(TimeSpan.Zero, TimeSpan.FromMinutes(1), Cancel);

        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.False(quiet.IsCompleted);
        withdrawn.Withdraw();

        Assert.True(await quiet.WaitAsync(s_deadline, Cancel));
    }
}
