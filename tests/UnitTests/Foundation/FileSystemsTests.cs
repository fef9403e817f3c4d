namespace UnitTests.Foundation;

public sealed class FileSystemsTests
{
    private const string Mounts = """
        22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        26 22 0:23 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw
        31 22 0:30 / /srv rw - tmpfs tmpfs rw,size=1g
        32 22 8:2 / /srv rw - xfs /dev/sdb1 rw
        33 22 0:31 / /var/lib/my\040data rw shared:7 master:2 - ramfs ramfs rw
        34 33 8:3 / /var/lib/my\040data/kept rw - btrfs /dev/sdc1 rw

        """;

    [Theory]
    [InlineData("/", "ext4")]
    [InlineData("/var/lib/postgresql", "ext4")]
    [InlineData("/dev/shm", "tmpfs")]
    [InlineData("/dev/shm/data", "tmpfs")]
    [InlineData("/dev/shmall", "ext4")]
    [InlineData("/srv/data", "xfs")]
    [InlineData("/var/lib/my data/x", "ramfs")]
    [InlineData("/var/lib/my data/kept/x", "btrfs")]
    public void Innermost_and_last_mount_above_a_path_is_the_one(string path, string type) =>
        Assert.Equal(type, FileSystems.TypeOf(path, Mounts));

    [Theory]
    [InlineData("")]
    [InlineData("22 1 8:1")]
    [InlineData("22 1 8:1 / /other rw - ext4 /dev/sda1 rw")]
    public void Table_without_the_path_says_nothing(string mounts) => Assert.Null(FileSystems.TypeOf("/data", mounts));

    [Theory]
    [InlineData("tmpfs", true)]
    [InlineData("ramfs", true)]
    [InlineData("ext4", false)]
    [InlineData(null, false)]
    public void Memory_is_what_the_kernel_keeps_there(string? type, bool expected) =>
        Assert.Equal(expected, FileSystems.IsInMemory(type));
}
