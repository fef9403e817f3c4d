namespace UnitTests.LoadTesting.Load.Histograms;

public sealed class LatencyRecorderTests
{
    [Fact]
    public async Task Recording_from_many_threads_loses_nothing()
    {
        var recorder = new LatencyRecorder();

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(
            () =>
            {
                for (var i = 1; i <= 10_000; i++)
                {
                    recorder.Record(TimeSpan.FromMicroseconds(i));
                }
            },
            Cancel)));

        var histogram = recorder.Snapshot();
        Assert.Equal(80_000, histogram.Count);
        Assert.Equal(8 * (10_000 * 10_001L / 2) / 1_000.0, histogram.SumMs);
    }

    [Fact]
    public void A_snapshot_is_not_changed_by_later_recording()
    {
        var recorder = new LatencyRecorder();
        recorder.Record(TimeSpan.FromMilliseconds(1));
        var before = recorder.Snapshot();

        recorder.Record(TimeSpan.FromMilliseconds(2));

        Assert.Equal(1, before.Count);
        Assert.Equal(2, recorder.Snapshot().Count);
    }

    [Fact]
    public void Recording_allocates_nothing_once_its_octaves_exist()
    {
        var recorder = new LatencyRecorder();
        RecordThousand(recorder);
        var least = Enumerable.Range(0, 5).Min(_ =>
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            RecordThousand(recorder);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        });

        Assert.Equal(0, least);
    }

    private static void RecordThousand(LatencyRecorder recorder)
    {
        for (var i = 0; i < 1_000; i++)
        {
            recorder.RecordStopwatchTicks(i);
        }
    }
}
