{
  description = "Pyroclast: a Vulkan driver that runs on the CPU";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
    in {
      packages.${system}.default = pkgs.rustPlatform.buildRustPackage {
        pname = "pyroclast";
        version = "0.1.0";
        src = ../..;
        cargoLock.lockFile = ../../Cargo.lock;
        cargoBuildFlags = [ "-p" "pyro-icd" "-p" "pyroclast-cli" ];
        # The tests need a loader, other drivers and network services.
        doCheck = false;
        postInstall = ''
          mkdir -p $out/lib/pyroclast $out/share/vulkan/icd.d $out/include
          mv $out/lib/libpyroclast_icd.so $out/lib/pyroclast/
          $out/bin/pyroclast manifest > $out/share/vulkan/icd.d/pyroclast_icd.json
          cp crates/pyroclast/include/*.h $out/include/
        '';
        meta = {
          description = "Vulkan driver that runs on the CPU";
          license = with pkgs.lib.licenses; [ mit asl20 ];
          platforms = [ system ];
          mainProgram = "pyroclast";
        };
      };
    };
}
