namespace UnitTests.Foundation;

public sealed class UserMessageTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("messages-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Directory_in_place_of_a_file_is_named()
    {
        var error = Assert.Throws<UnauthorizedAccessException>(() => File.ReadAllText(_folder.FullName));

        Assert.Equal($"{_folder.FullName}: is a directory. Name a file.", UserMessage.Of(error));
    }

    [Fact]
    public void File_in_place_of_a_directory_is_named()
    {
        var file = Path.Combine(_folder.FullName, "file");
        File.WriteAllText(file, "");

        Assert.Equal($"{file}: is a file. Name a directory.", Of<IOException>(() => Directory.CreateDirectory(file)));
        Assert.Equal(
            $"{file}/below/it: '{file}' is a file and holds no directory. Name another.",
            Of<IOException>(() => Directory.CreateDirectory(Path.Combine(file, "below", "it"))));
        Assert.Contains(
            "is a file and holds no directory",
            Of<IOException>(() => File.WriteAllText(Path.Combine(file, "x.txt"), "")));
    }

    [Fact]
    public void Name_that_is_too_long_is_named_with_its_length()
    {
        var path = Path.Combine(_folder.FullName, new string('é', 200));

        var error = Assert.ThrowsAny<IOException>(() => File.WriteAllText(path, ""));

        AssertHolds(UserMessage.Of(error, path), "has 400 bytes, and a file system takes 255. Shorten it.");
    }

    [Fact]
    public void Character_that_no_path_has_is_named()
    {
        var error = Assert.ThrowsAny<ArgumentException>(() => File.ReadAllText("a\0b"));

        Assert.Equal(
            "a\\u0000b: has the character U+0000, which no path has. Take it out.", UserMessage.Of(error, "a\0b"));
    }

    [Theory]
    [InlineData("""{ "a": 1, }""", "line 1, byte 11: a comma stands before a closing bracket; remove it.")]
    [InlineData("""{ "a": "x" }""", "$.a, line 1, byte 11: The value is not a whole number within its range.")]
    [InlineData("""{ "a": 1.5 }""", "$.a, line 1, byte 11: The value is not a whole number within its range.")]
    [InlineData("""{ "a": }""", "$.a, line 1, byte 8: '}' is an invalid start of a value.")]
    public void Json_that_cannot_be_read_is_told_by_place_and_fault(string json, string message)
    {
        var error = Assert.ThrowsAny<JsonException>(() => JsonSerializer.Deserialize<Dictionary<string, int>>(json));

        Assert.EndsWith(message[message.IndexOf("line", StringComparison.Ordinal)..], UserMessage.Of(error));
        Assert.DoesNotContain("reader options", UserMessage.Of(error));
    }

    [Fact]
    public void Message_omits_the_parameter_name() => Assert.Equal(
        "'rate' is 0; it is at least 1.",
        Of<ArgumentOutOfRangeException>(() => Simulation.Inject(0, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1))));

    private static string Of<T>(Action action)
        where T : Exception => UserMessage.Of(Assert.ThrowsAny<T>(action));
}
