namespace UnitTests.Workflow.Engine;

public sealed class PartitioningTests
{
    // Stored rows carry these numbers: a change of the hash would lose every wait and buffered signal.
    [Theory]
    [InlineData("a", 52)]
    [InlineData("order-1", 18)]
    [InlineData("42", 4)]
    [InlineData("Zürich", 63)]
    [InlineData("漢字", 19)]
    [InlineData("😀", 27)]
    public void Partition_of_a_key_never_changes(string key, int partition) =>
        Assert.Equal(partition, Partitioning.OfKey(key));

    [Fact]
    public void Partition_of_an_id_never_changes() =>
        Assert.Equal(0x2a, Partitioning.OfInstance(Guid.Parse("0193e3a1-0000-7000-8000-0000000000ea")));

    [Fact]
    public void Instance_with_a_key_lives_in_the_partition_of_its_key()
    {
        for (var i = 0; i < 1_000; i++)
        {
            var id = Partitioning.NewInstanceId(
                Guid.CreateVersion7(DateTimeOffset.UnixEpoch.AddYears(56)), $"order-{i}");
            Assert.Equal(Partitioning.OfKey($"order-{i}"), Partitioning.OfInstance(id));
            Assert.Equal(7, id.Version);
        }
    }

    [Fact]
    public void Keys_and_ids_spread_over_every_partition()
    {
        var keys =
            Enumerable.Range(0, 6_400).GroupBy(i => Partitioning.OfKey($"order-{i}")).Select(g => g.Count()).ToArray();
        var ids = Enumerable.Range(0, 6_400)
            .GroupBy(_ => Partitioning.OfInstance(
                Partitioning.NewInstanceId(Guid.CreateVersion7(DateTimeOffset.UnixEpoch.AddYears(56)), null)))
            .Select(g => g.Count()).ToArray();

        Assert.Equal((Partitioning.Count, Partitioning.Count), (keys.Length, ids.Length));
        // 100 each on average; 50 is five standard deviations off for ids, which are random.
        Assert.All(keys.Concat(ids), count => Assert.InRange(count, 50, 160));
    }
}
