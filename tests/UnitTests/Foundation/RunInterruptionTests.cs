using System.Diagnostics;

namespace UnitTests.Foundation;

public sealed class RunInterruptionTests
{
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(0.5);

    [Fact]
    public async Task Run_ends_once_when_a_process_that_started_it_has_ended()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Needs the command sleep.");
        var (time, told) = (new ManualTime(), new List<string>());
        using var starter = Process.Start(new ProcessStartInfo("sleep", ["60"]))!;
        using var interruption = new RunInterruption(
            [new StartingProcess("sleep", ProcessOwner.Of(starter.Id)!),
                new StartingProcess("self", ProcessOwner.Current)], told.Add, time);
        time.Advance(Look);
        Assert.Null(interruption.Reason);

        starter.Kill();
        await starter.WaitForExitAsync(Cancel);
        time.Advance(Look);
        time.Advance(Look);

        Assert.True(interruption.Ended.IsCancellationRequested);
        Assert.False(interruption.GivenUp.IsCancellationRequested);
        Assert.Equal(interruption.Reason, Assert.Single(told));
        Assert.Equal($"process {starter.Id} (sleep), which started the run, has ended", interruption.Reason);
    }

    [Fact]
    public void Run_continues_while_its_parents_live()
    {
        var time = new ManualTime();
        using var interruption =
            new RunInterruption([new StartingProcess("self", ProcessOwner.Current)], told: null, time);

        time.Advance(TimeSpan.FromMinutes(10));

        Assert.False(interruption.Ended.IsCancellationRequested);
    }

    [Fact]
    public void Pipeline_starts_a_run_with_all_processes_above_it()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Processes above this one are known on Linux only.");

        var all = StartingProcesses.Find(isPipeline: true);
        var atDesk = StartingProcesses.Find(isPipeline: false);

        Assert.All(all, process => Assert.True(process.Process.IsAlive));
        Assert.Equal(atDesk, all.Take(atDesk.Count));
        Assert.Equal(all.TakeWhile(process => process.Name is "dotnet"), atDesk);
        Assert.DoesNotContain(all, process => process.Process.Id is 1);
    }
}
