using System.Diagnostics;
using System.IO.Compression;
using System.Reflection.Metadata;

namespace UnitTests.HouseStyle;

/// <summary>What others get of this repository.</summary>
public sealed class PackageTests
{
    private const int Projects = 6;

    [Fact]
    public async Task Package_names_no_path_of_the_machine_that_packed_it()
    {
        var directory = Directory.CreateTempSubdirectory("packages-");
        try
        {
            await PackAsync(directory.FullName);
            var packages = directory.GetFiles("*.*nupkg");
            Assert.Equal(Projects, packages.Count(package => package.Extension == ".nupkg"));
            var read = 0;
            foreach (var package in packages)
            {
                using var content = ZipFile.OpenRead(package.FullName);
                foreach (var entry in content.Entries)
                {
                    read++;
                    Assert.Empty(PathsIn(entry).Select(path => $"{package.Name}: {entry.FullName} names {path}"));
                }
            }

            Assert.True(read > 50, $"{read} files of packages were read.");
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    /// <summary>The tests have built them, as a reader has who packs what the tests were run with.</summary>
    private static async Task PackAsync(string directory)
    {
        var configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        var start = new ProcessStartInfo("dotnet")
        {
            WorkingDirectory = Repository.Root, RedirectStandardOutput = true, RedirectStandardError = true,
            ArgumentList =
            {
                "pack", "src/LoadTesting/Templates/Packages.slnf", "--no-build", "-c", configuration, "-v", "quiet",
                "-nologo", "-o", directory,
            },
        };
        start.Environment["CI"] = "false";
        using var pack = Process.Start(start)!;
        var said =
            await Task.WhenAll(pack.StandardOutput.ReadToEndAsync(Cancel), pack.StandardError.ReadToEndAsync(Cancel));
        await pack.WaitForExitAsync(Cancel);
        Assert.True(pack.ExitCode == 0, string.Concat(said));
    }

    private static IEnumerable<string> PathsIn(ZipArchiveEntry entry)
    {
        using var content = entry.Open();
        using var buffer = new MemoryStream();
        content.CopyTo(buffer);
        var bytes = buffer.ToArray();
        var documents = entry.Name.EndsWith(".pdb", StringComparison.Ordinal) ? Documents(bytes) : [];
        return Foreign().Where(path => bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(path)) >= 0
            || bytes.AsSpan().IndexOf(Encoding.Unicode.GetBytes(path)) >= 0
            || documents.Any(document => document.StartsWith(path, StringComparison.Ordinal)));
    }

    /// <summary>The paths of the sources, which symbols hold in parts.</summary>
    private static List<string> Documents(byte[] symbols)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(symbols));
        var reader = provider.GetMetadataReader();
        List<string> documents = [.. reader.Documents.Select(one => reader.GetString(reader.GetDocument(one).Name))];
        Assert.NotEmpty(documents);
        return documents;
    }

    /// <summary>The checkout, the folder of restored packages, and the home folder unless it is the root.</summary>
    private static IEnumerable<string> Foreign()
    {
        var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        var packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(home, ".nuget", "packages");
        return new[] { Repository.Root, packages, home + Path.DirectorySeparatorChar }.Where(path => path.Length > 2)
            .Distinct();
    }
}
