using Workflow.Diagrams;

namespace UnitTests.Workflow.Diagrams;

/// <summary>
/// The pictures in <c>fixtures/diagrams</c>. After a change that is meant, <c>.ci/pictures</c> writes them anew; then
/// look at each.
/// </summary>
public sealed class ApprovedDiagramTests
{
    public static TheoryData<string> Names => [.. SampleDiagram.All.Select(sample => sample.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Picture_is_the_approved_one(string name)
    {
        var sample = SampleDiagram.All.Single(sample => sample.Name == name);
        var file = Checkout.Fixture("diagrams", $"{name}.svg");
        var drawn = DiagramRenderer.Render(sample.Definition, DiagramFormat.Svg, sample.Overlay);
        if (Environment.GetEnvironmentVariable("UPDATE_PICTURES") == "1")
        {
            File.WriteAllText(file, drawn);
        }

        Assert.True(File.Exists(file) && File.ReadAllText(file) == drawn,
            $"{name}.svg is not as approved. If the change is meant, run UPDATE_PICTURES=1 dotnet test tests/UnitTests "
            + "--filter FullyQualifiedName~ApprovedDiagramTests, and look at what git shows as changed.");
    }

    [Fact]
    public void Every_approved_picture_has_its_sample() => Assert.Equal(
        SampleDiagram.All.Select(sample => $"{sample.Name}.svg").Order(StringComparer.Ordinal),
        Directory.GetFiles(Checkout.Fixture("diagrams"), "*.svg").Select(file => Path.GetFileName(file)!)
            .Order(StringComparer.Ordinal));
}
