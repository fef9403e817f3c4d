using System.Diagnostics;

namespace UnitTests.Foundation;

public sealed class ProcessOwnerTests
{
    [Fact]
    public async Task Process_that_ends_while_it_is_asked_is_not_alive()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Needs the command true.");
        for (var i = 0; i < 200; i++)
        {
            using var process = Process.Start("true");
            var (owner, ended) = (ProcessOwner.Of(process.Id), process.WaitForExitAsync(Cancel));
            while (owner?.IsAlive is true)
            {
                // Until the kernel has removed it: each look may be the one that comes in between.
            }

            await ended;
            Assert.True(owner?.IsAlive is null or false);
        }
    }

    [Fact]
    public void Process_with_another_start_time_is_another_one()
    {
        Assert.True(ProcessOwner.Current.IsAlive);
        Assert.False((ProcessOwner.Current with { StartSeconds = ProcessOwner.Current.StartSeconds - 60 }).IsAlive);
    }
}
