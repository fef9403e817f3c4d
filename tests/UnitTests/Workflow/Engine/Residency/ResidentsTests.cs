using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Engine.Instances;
using Workflow.Engine.Residency;

namespace UnitTests.Workflow.Engine.Residency;

public sealed class ResidentsTests
{
    private static readonly DateTimeOffset Now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private readonly Residents _residents = new();

    [Fact]
    public void Oldest_is_the_one_that_was_not_used_for_longest()
    {
        var (a, b, c) = (Add(), Add(), Add());
        Assert.Same(a, _residents.Oldest);

        _residents.Use(a, Now);
        Assert.Same(b, _residents.Oldest);
        _residents.Remove(b.Id, out _);
        Assert.Same(c, _residents.Oldest);
        _residents.Remove(a.Id, out _);
        _residents.Remove(c.Id, out _);

        Assert.Null(_residents.Oldest);
        Assert.Equal((0, 0L), (_residents.Count, _residents.Size));
    }

    [Fact]
    public void Size_follows_what_is_used()
    {
        var instance = Add();
        var before = _residents.Size;
        instance.Assign("text", Value.Parse("\"" + new string('x', 1_000) + "\""));
        Assert.Equal(before, _residents.Size);

        _residents.Use(instance, Now);

        Assert.InRange(_residents.Size - before, 1_000, 1_100);
    }

    [Fact]
    public void Instance_that_has_left_is_not_used()
    {
        var (left, stays) = (Add(), Add());
        _residents.Remove(left.Id, out _);

        _residents.Use(left, Now.AddHours(1));

        Assert.Same(stays, _residents.Oldest);
        Assert.Null(stays.Newer);
    }

    private LiveInstance Add()
    {
        var instance = new LiveInstance
        {
            Id = Guid.CreateVersion7(Now),
            Partition = 0,
            Definition = null!,
            CorrelationKey = null,
            CreatedUtc = Now,
            Variables = [],
        };
        _residents.Add(instance, Now);
        return instance;
    }
}
