namespace UnitTests.Foundation;

public sealed class BootIdTests
{
    [Fact]
    public void Process_has_a_boot_id_on_a_machine_without_one()
    {
        Assert.Null(BootId.Read(Path.Combine(AppContext.BaseDirectory, "no-such-root")));
        Assert.NotEmpty(BootId.Current);
        Assert.Same(BootId.Current, BootId.Current);
    }

    [Fact]
    public void Id_of_the_machine_is_that_of_this_process_where_there_is_one() =>
        Assert.Equal(BootId.Current, BootId.Read("/") ?? BootId.Current);
}
