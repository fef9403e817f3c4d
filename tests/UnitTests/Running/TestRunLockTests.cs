using System.Diagnostics;

namespace UnitTests.Running;

public sealed class TestRunLockTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("test-run-lock-");

    private string LockPath => Path.Combine(_directory.FullName, "run.lock");

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task Exclusive_holder_waits_for_the_last_shared_one()
    {
        var first = await AcquireAsync(TestRunLockMode.Shared);
        var second = await AcquireAsync(TestRunLockMode.Shared);
        await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Exclusive));

        first.Dispose();
        await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Exclusive));

        second.Dispose();
        using var exclusive = await AcquireAsync(TestRunLockMode.Exclusive);
        await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Shared));
        await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Exclusive));
    }

    [Fact]
    public async Task Waiter_gets_the_lock_when_it_becomes_free()
    {
        var holder = await AcquireAsync(TestRunLockMode.Exclusive);
        var waiting =
            TestRunLock.AcquireAsync(TestRunLockMode.Shared, new TestRunLockOptions { Path = LockPath }, Cancel);
        Assert.False(waiting.IsCompleted);

        holder.Dispose();

        using var acquired = await waiting.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
    }

    [Fact]
    public async Task Waiter_that_is_cancelled_stops_waiting()
    {
        using var holder = await AcquireAsync(TestRunLockMode.Exclusive);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var waiting = TestRunLock.AcquireAsync(
            TestRunLockMode.Shared, new TestRunLockOptions { Path = LockPath }, cancellation.Token);

        await cancellation.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Fact]
    public async Task Wait_ends_after_twenty_minutes_with_the_holder()
    {
        using var holder = await AcquireAsync(TestRunLockMode.Exclusive);
        var (time, reports) = (new LeapingTime(), new List<string>());

        var failure = await Assert.ThrowsAsync<TimeoutException>(() => TestRunLock.AcquireAsync(
            TestRunLockMode.Shared, new TestRunLockOptions { Path = LockPath, Time = time, Waiting = reports.Add },
            Cancel));

        Assert.Equal(TimeSpan.FromMinutes(20), time.Elapsed);
        Assert.InRange(time.Leaps, 2000, 3000);
        AssertHolds(failure.Message, [LockPath, .. Holder(Environment.ProcessId)]);
        Assert.InRange(reports.Count, 38, 40);
        Assert.All(reports, report => AssertHolds(report, Holder(Environment.ProcessId)));
    }

    [Fact]
    public async Task Lock_of_another_process_ends_with_that_process()
    {
        using var other = StartOther("Exclusive");
        await WaitForNoteAsync(other);
        var excluded = await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Shared));
        AssertHolds(excluded.Message, Holder(other.Id));

        other.Kill();
        await other.WaitForExitAsync(Cancel);
        using var acquired = await AcquireAsync(TestRunLockMode.Exclusive);

        var note = Assert.Single(Directory.GetFiles(_directory.FullName, "*.holder"));
        Assert.Contains($".{Environment.ProcessId}-", note, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_process_shares_with_this_one_what_both_take_shared()
    {
        using var other = StartOther("Shared");
        await WaitForNoteAsync(other);

        using var shared = await AcquireAsync(TestRunLockMode.Shared);
        await Assert.ThrowsAsync<TimeoutException>(() => AcquireAsync(TestRunLockMode.Exclusive));

        other.Kill();
        await other.WaitForExitAsync(Cancel);
    }

    [Fact]
    public async Task File_left_by_a_dead_process_means_nothing()
    {
        await File.WriteAllTextAsync(LockPath, "", Cancel);
        await File.WriteAllTextAsync(
            $"{LockPath}.{int.MaxValue.ToString(CultureInfo.InvariantCulture)}-1.holder", "gone, exclusive", Cancel);

        using var acquired = await AcquireAsync(TestRunLockMode.Exclusive);
    }

    [Fact]
    public async Task Note_of_a_killed_process_with_this_id_is_overwritten()
    {
        int number;
        using (await AcquireAsync(TestRunLockMode.Exclusive))
        {
            var note = Path.GetFileName(Assert.Single(Directory.GetFiles(_directory.FullName, "*.holder")));
            number = int.Parse(Regex.Match(note, @"-(\d+)\.holder$").Groups[1].Value, CultureInfo.InvariantCulture);
        }

        // Tests beside this one take numbers too.
        foreach (var later in Enumerable.Range(number + 1, 200))
        {
            await File.WriteAllTextAsync($"{LockPath}.{Environment.ProcessId}-{later}.holder", "gone, exclusive",
                Cancel);
        }

        using var acquired = await AcquireAsync(TestRunLockMode.Shared);

        Assert.Single(
            Directory.GetFiles(_directory.FullName, "*.holder"),
            note => File.ReadAllText(note).StartsWith("UnitTests, shared, since ", StringComparison.Ordinal));
    }

    private static string[] Holder(int process) =>
        [$"process {process} (UnitTests, exclusive, since ", $"; 'kill {process}' ends it)"];

    private Task<TestRunLock> AcquireAsync(TestRunLockMode mode) =>
        TestRunLock.AcquireAsync(mode, new TestRunLockOptions { Path = LockPath, Timeout = TimeSpan.Zero }, Cancel);

    private Process StartOther(string mode)
    {
        var viaHost = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet";
        var start =
            new ProcessStartInfo(Environment.ProcessPath!, viaHost ? [typeof(TestRunLockTests).Assembly.Location] : []);
        start.Environment[LockForAnotherProcess.Variable] = $"{mode}:{LockPath}";
        start.RedirectStandardOutput = true;
        return Process.Start(start)!;
    }

    private async Task WaitForNoteAsync(Process other)
    {
        var noted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var watcher = new FileSystemWatcher(_directory.FullName, $"*.{other.Id}-*.holder");
        watcher.Created += (_, _) => noted.TrySetResult();
        watcher.Renamed += (_, _) => noted.TrySetResult();
        watcher.EnableRaisingEvents = true;
        if (Directory.GetFiles(_directory.FullName, $"*.{other.Id}-*.holder").Length == 0)
        {
            var exited = other.WaitForExitAsync(Cancel);
            var first = await Task.WhenAny(noted.Task, exited).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
            Assert.False(first == exited, first == exited ? await other.StandardOutput.ReadToEndAsync(Cancel) : "");
        }
    }
}
