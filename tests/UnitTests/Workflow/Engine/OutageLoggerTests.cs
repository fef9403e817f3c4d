using Microsoft.Extensions.Logging;
using Workflow.Engine.Diagnostics;

namespace UnitTests.Workflow.Engine;

public sealed class OutageLoggerTests : ILogger
{
    private readonly List<(string Line, Exception? Error)> _written = [];
    private readonly ManualTime _time = new();

    [Fact]
    public void Outage_is_logged_every_ten_seconds_without_a_stack()
    {
        const string Line = "The inboxes could not be read; they are read again at the next interval. It is down.";
        var logger = new OutageLogger(this, _time);
        for (var i = 0; i < 101; i++)
        {
            Log.InboxFailed(
                logger, new StoreUnavailableException("It is down.", outcomeUnknown: false, new IOException("cause")));
            _time.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal(
            [(Line, null), ($"{Line} (The same 99 times more since this line was last written.)", null)], _written);
    }

    [Fact]
    public void Other_lines_of_an_outage_and_other_errors_are_all_written()
    {
        var logger = new OutageLogger(this, _time);
        var (outage, fault) =
            (new FlushException(FlushFailure.Unavailable, "It is down."), new InvalidOperationException("A fault."));
        foreach (var lane in new[] { 1, 2, 1 })
        {
            Log.FlushFailed(logger, outage, lane, commands: 5, "Unavailable");
            Log.InboxFailed(logger, fault);
        }

        Assert.Equal(
            2, _written.Count(
                one => one.Error is null && one.Line.EndsWith("repeats them. It is down.", StringComparison.Ordinal)));
        Assert.Equal(3, _written.Count(one => one.Error == fault));
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
        _written.Add((formatter(state, exception), exception));
}
