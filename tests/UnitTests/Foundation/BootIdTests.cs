namespace UnitTests.Foundation;

public sealed class BootIdTests
{
    [Fact]
    public void Machine_without_an_id_has_none_and_the_process_has_one_all_the_same()
    {
        Assert.Null(BootId.Read(Path.Combine(AppContext.BaseDirectory, "no-such-root")));
        Assert.NotEmpty(BootId.Current);
        Assert.Same(BootId.Current, BootId.Current);
    }

    [Fact]
    public void Id_of_the_machine_is_that_of_this_process_where_there_is_one() =>
        Assert.Equal(BootId.Current, BootId.Read("/") ?? BootId.Current);
}
