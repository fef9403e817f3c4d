using Workflow.Engine.Instances;
using Workflow.Engine.Residency;

namespace UnitTests.Workflow.Engine.Residency;

public sealed class SignalSlotTests
{
    [Fact]
    public void First_six_bits_are_the_partition_of_the_key()
    {
        foreach (var key in Enumerable.Range(0, 1_000).Select(i => $"order {i}"))
        {
            Assert.Equal(Partitioning.OfKey(key), (short)((ulong)SignalSlot.Of("paid", key) >> 58));
        }
    }

    [Fact]
    public void Name_and_key_are_told_apart()
    {
        string[] names = ["a", "ab", "abc", "", "paid", "Paid"];
        string[] keys = ["c", "bc", "", "1", "01", "ä"];

        var slots = names.SelectMany(name => keys.Select(key => SignalSlot.Of(name, key))).ToHashSet();

        Assert.Equal(names.Length * keys.Length, slots.Count);
    }

    /// <summary>Stored slots must mean the same to every version.</summary>
    [Theory]
    [InlineData("paid", "order 1", 8222178142009712339L)]
    [InlineData("", "ü", -5755381314273046207L)]
    public void Slot_is_the_same_in_every_version(string name, string key, long slot) =>
        Assert.Equal(slot, SignalSlot.Of(name, key));
}
